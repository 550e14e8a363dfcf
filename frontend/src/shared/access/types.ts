import type { components } from '../api/schema'

type Documents = components['schemas']

export type Person = Documents['Person']
export type Role = Person['role']
export type AccessToken = Documents['Token']
