import type { components } from '../api/schema'

type Documents = components['schemas']

export type Person = Documents['Person']
export type Role = Documents['RoleEnum']
export type ProjectRole = Documents['ProjectRole']
export type AccessToken = Documents['Token']
