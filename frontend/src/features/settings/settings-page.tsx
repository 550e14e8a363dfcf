import '../../shared/ui/form.css'

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { sessionQuery } from '../../shared/api/queries'
import { SingleKeysChoice } from '../../shared/keys/single-keys-choice'
import { ownsPlatform, platformOwnerMeans, roleMeans, roleWords, type Standing, standingWords } from '../../shared/access/roles'
import { TokenList } from '../../shared/access/token-list'
import { useMay } from '../../shared/access/use-may'
import { capital } from '../../shared/format/numbers'
import { useProjects } from '../../shared/project-choice/picked'
import { chooseTheme, type Theme, useTheme } from '../../shared/ui/theme'

/** What one person chose for themselves. */
export function SettingsPage() {
  const user = useQuery(sessionQuery).data?.user
  const { several } = useProjects()
  const owns = useMay('own')
  return (
    <div className="page form-page">
      <header className="page-head">
        <h1>Settings</h1>
        {user && (
          <span className="quiet">
            {user.username} · {several || user.role === null ? capital(standingWords(user)) : roleWords[user.role]}{meaning(user)}
          </span>
        )}
      </header>
      <section className="panel" aria-labelledby="looks">
        <div className="panel-head">
          <h2 id="looks">Appearance</h2>
        </div>
        <div className="panel-body">
          <ThemeChoice />
        </div>
      </section>
      <section className="panel" aria-labelledby="keys">
        <div className="panel-head">
          <h2 id="keys" className="grow">
            Keys
          </h2>
          <Link to="/settings/keys" className="button little">
            All keys, and changing them →
          </Link>
        </div>
        <div className="panel-body">
          <SingleKeysChoice />
        </div>
      </section>
      <section className="panel" aria-labelledby="projects">
        <div className="panel-head">
          <h2 id="projects" className="grow">
            Projects
          </h2>
          <Link to="/settings/projects" className="button little">
            Projects and their members →
          </Link>
        </div>
        <p className="panel-body quiet">People, datasets and models belong to projects; in each, everybody has a role of their own.</p>
      </section>
      {owns && (
        <section className="panel" aria-labelledby="audit">
          <div className="panel-head">
            <h2 id="audit" className="grow">
              Audit
            </h2>
            <Link to="/settings/audit" className="button little">
              Who changed what →
            </Link>
          </div>
          <p className="panel-body quiet">Each change of rights and rules in what you own: who, when, from where, before and after.</p>
        </section>
      )}
      <section className="panel" aria-labelledby="tokens">
        <div className="panel-head">
          <h2 id="tokens" className="grow">
            Your tokens
          </h2>
          <span className="quiet small">Use them to sign in with the browser, the lode command and programs.</span>
        </div>
        <div className="panel-body">
          <TokenList person="me" username={null} />
        </div>
      </section>
    </div>
  )
}

/** What their role allows, where they have one role. */
function meaning(user: Standing): string {
  if (ownsPlatform(user)) return `: ${platformOwnerMeans}`
  const [only, ...more] = user.projects
  return only === undefined || more.length > 0 ? '' : `: ${roleMeans[only.role]}`
}

const themes: [Theme, string][] = [
  ['system', 'System theme'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

function ThemeChoice() {
  const theme = useTheme()
  return (
    <fieldset className="form-group row wrap">
      <legend>Theme</legend>
      {themes.map(([each, words]) => (
        <label key={each} className="check">
          <input type="radio" name="theme" checked={theme === each} onChange={() => chooseTheme(each)} />
          {words}
        </label>
      ))}
    </fieldset>
  )
}
