import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { both, textOf } from '../../../shared/filters/text'
import { labelText } from '../../../shared/format/labels'
import type { GridSearch } from '../../../shared/routes/grid-search'
import { someSamplesQuery } from '../queries'
import { Shapes } from '../shapes'

interface PicturesProps {
  id: string
  classes: string[]
  search: GridSearch
  /** The classes that images are shown of, with the filter of each; without any, of all samples together. */
  groups: readonly { name: string; filter: string | null }[]
}

const inAll = 12
const perClass = 4
/** Classes with pictures of their own: each asks the server once. */
const mostGroups = 12

/** What the figures count: a few of the images, by class where there are labels. */
export function Pictures({ id, classes, search, groups }: PicturesProps) {
  const shown = groups.filter(({ filter }) => filter !== null).slice(0, mostGroups)
  return (
    <section className="panel" aria-labelledby="some-images">
      <div className="panel-head">
        <h2 id="some-images" className="grow">
          Some of the images
        </h2>
        {groups.length > shown.length && shown.length > 0 && <span className="quiet small">of the first {shown.length} classes</span>}
      </div>
      <div className="panel-body statistics-pictures">
        {shown.length === 0 ? (
          <Group id={id} classes={classes} search={search} name={null} filter="" limit={inAll} />
        ) : (
          shown.map(({ name, filter }) => <Group key={name} id={id} classes={classes} search={search} name={name} filter={filter ?? ''} limit={perClass} />)
        )}
      </div>
    </section>
  )
}

interface GroupProps {
  id: string
  classes: string[]
  search: GridSearch
  /** The class; null for all samples. */
  name: string | null
  filter: string
  limit: number
}

function Group({ id, classes, search, name, filter, limit }: GroupProps) {
  const text = both(textOf(search), filter)
  const found = useQuery(someSamplesQuery(id, search.v ?? 'head', text, limit)).data?.results ?? []
  return (
    <figure className={name === null ? 'all' : undefined}>
      <ul>
        {Array.from({ length: name === null ? found.length : limit }, (_, place) => {
          const sample = found[place]
          return (
            <li key={sample?.id ?? place}>
              {sample && (
                <Link to="/datasets/$id" params={{ id }} search={{ ...(search.v === undefined ? {} : { v: search.v }), ids: String(sample.id) }} title={`${sample.key}: ${labelText(sample.label) ?? 'not labelled'}`}>
                  <img src={sample.thumb} alt={sample.key} loading="lazy" />
                  <Shapes sample={sample} classes={classes} />
                </Link>
              )}
            </li>
          )
        })}
      </ul>
      {name !== null && <figcaption className="cut">{name}</figcaption>}
    </figure>
  )
}
