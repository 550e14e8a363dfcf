export type Role = 'owner' | 'reviewer' | 'annotator'

export interface AccessToken {
  id: number
  name: string
  created: string
  last_used: string | null
}
