import { platformOwnerMeans, roleMeans, roles, roleWords } from './roles'
import type { Role } from './types'

interface RoleChoiceProps {
  role: Role
  /** An owner is one of the platform here, not of one project. */
  platform?: boolean
  /** Nobody gets more than this. */
  most?: Role | undefined
  onChange: (role: Role) => void
}

/** The roles with what each may do, from the one who may do least. */
export function RoleChoice({ role, platform = false, most, onChange }: RoleChoiceProps) {
  return (
    <fieldset className="form-group form-lines">
      <legend>Role</legend>
      {(most === undefined ? roles : roles.slice(roles.indexOf(most))).toReversed().map((each) => (
        <label key={each} className="check">
          <input type="radio" name="role" checked={role === each} onChange={() => onChange(each)} />
          <span>
            {roleWords[each]} <span className="quiet">– {each === 'owner' && platform ? platformOwnerMeans : roleMeans[each]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
