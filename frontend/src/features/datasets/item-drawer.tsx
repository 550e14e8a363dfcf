import { Link, useRouter } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'

import type { Dataset, NearDuplicate, Sample } from '../../shared/api/types'
import { labelBoxes, labelClass, labelIgnored, labelObjects, labelPolygons, labelText } from '../../shared/format/labels'
import { bytes, count } from '../../shared/format/numbers'
import { useKeyMap } from '../../shared/keys/key-store'
import { actionFor } from '../../shared/keys/keymap'
import { BoxLayer } from '../../shared/ui/box-layer'
import { CopyButton } from '../../shared/ui/copy-line'
import { Dialog } from '../../shared/ui/dialog'
import { later } from '../../shared/ui/later'
import { Skeleton } from '../../shared/ui/messages'
import { ObjectList } from '../../shared/ui/object-list'
import { RefusableButton } from '../../shared/ui/refusable-button'
import { Swatch } from '../../shared/ui/swatch'
import { ActButtons } from './selection/act-buttons'
import { ActDialog, type Doing, type Offer } from './selection/acting'
import { tagsOf } from './selection/tags'
import type { Undo } from '../../shared/edits/use-undo'
import { SimilarStage } from './similar/similar-stage'

interface ItemDrawerProps {
  dataset: Dataset
  sample: Sample | undefined
  near: NearDuplicate | undefined
  /** What may be done with the sample; nothing in an older version. */
  offers: readonly Offer[]
  undo: Undo
  place: number
  total: number
  onMove: (step: 1 | -1) => void
  onClose: () => void
}

// What is below the image comes after it.
const ItemLineage = later(async () => (await import('./item-lineage')).ItemLineage)
const ItemHistory = later(async () => (await import('./item-history')).ItemHistory)

const sources = { human: 'a person', import: 'import', model: 'a model' }

export function ItemDrawer({ dataset, sample, near, offers, undo, place, total, onMove, onClose }: ItemDrawerProps) {
  const [doing, setDoing] = useState<Doing | null>(null)
  const content = useRef<HTMLDivElement>(null)
  const map = useKeyMap()
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys of a dialog in front of the drawer come here too.
    if (!(event.target instanceof Node) || !event.currentTarget.contains(event.target)) return
    const action = actionFor(event.nativeEvent, 'items', map)
    const offer = offers.find(({ act }) => act === action)
    if (event.key === 'ArrowRight') onMove(1)
    else if (event.key === 'ArrowLeft') onMove(-1)
    else if (offer && sample) setDoing({ act: offer.act })
    else if (action === 'undo') undo.last()
    else return
    event.preventDefault()
  }
  return (
    <Dialog drawer onClose={onClose} title={sample?.key ?? 'Loading'} onKeyDown={onKeyDown}>
      <div ref={content} className="stack item-content" tabIndex={-1}>
        <div className="row">
          <RefusableButton className="button icon" aria-label="Previous item" refusal={place === 0 ? 'This is the first item.' : null} onClick={() => onMove(-1)}>
            <ChevronLeft size={16} aria-hidden />
          </RefusableButton>
          <RefusableButton className="button icon" aria-label="Next item" refusal={place === total - 1 ? 'This is the last item.' : null} onClick={() => onMove(1)}>
            <ChevronRight size={16} aria-hidden />
          </RefusableButton>
          <span className="quiet">
            {count(place + 1)} of {count(total)}
          </span>
        </div>
        {sample ? (
          <>
            {offers.length > 0 && (
              <div className="item-acts" role="group" aria-label="Change this sample">
                <ActButtons offers={offers} onAct={(act) => setDoing({ act })} />
              </div>
            )}
            <Item dataset={dataset.name} sample={sample} near={near} classes={dataset.classes} />
          </>
        ) : (
          <Skeleton height={420} />
        )}
      </div>
      {sample && (
        <ActDialog
          doing={doing}
          dataset={dataset}
          target={{ filter: { samples: [sample.id] }, count: 1, stamp: `sample ${sample.id} ${sample.split} ${labelText(sample.label)}` }}
          tags={tagsOf(sample.meta)}
          onClose={() => {
            setDoing(null)
            // The keys of the drawer act again.
            requestAnimationFrame(() => content.current?.focus({ preventScroll: true }))
          }}
          onDone={(_act, words, commit, final) => undo.offer(words, commit, final)}
        />
      )}
    </Dialog>
  )
}

interface ItemProps {
  dataset: string
  sample: Sample
  near: NearDuplicate | undefined
  classes: string[]
}

function Item({ dataset, sample, near, classes }: ItemProps) {
  const name = labelClass(sample.label)
  const address = useRouter().buildLocation({ to: '/datasets/$id', params: { id: dataset }, search: { ids: String(sample.id) } }).publicHref
  return (
    <>
      <SimilarStage key={sample.id} dataset={dataset} sample={sample}>
        <img src={sample.url} alt={sample.key} className={Math.max(sample.width ?? 0, sample.height ?? 0) <= 128 ? 'pixels' : ''} />
        {sample.width !== null && sample.height !== null && (
          <BoxLayer
            width={sample.width}
            height={sample.height}
            boxes={labelBoxes(sample.label)}
            polygons={labelPolygons(sample.label)}
            ignored={labelIgnored(sample.label)}
            classes={classes}
            manner="after"
          />
        )}
      </SimilarStage>
      <dl className="facts">
        <dt>Label</dt>
        <dd className="row">
          {name !== null && <Swatch classes={classes} name={name} />}
          {labelText(sample.label) ?? 'none yet'}
        </dd>
        <dt>Labelled by</dt>
        <dd>{sample.label_source === null ? '–' : sources[sample.label_source]}</dd>
        <dt>Split</dt>
        <dd>{sample.split}</dd>
        {near && (
          <>
            <dt>Near-duplicate</dt>
            <dd>
              of <span className="mono">{near.of}</span> in test{near.allowed ? '; allowed in training' : '; kept out of training'}
            </dd>
          </>
        )}
        <dt>Image</dt>
        <dd>
          {sample.width} × {sample.height} px, {sample.media_type}
        </dd>
        {sample.original && (
          <>
            <dt>Converted from</dt>
            <dd>
              {sample.original.media_type}, {bytes(sample.original.bytes)}{' '}
              <a href={sample.original.url} download={sample.key.slice(sample.key.lastIndexOf('/') + 1)}>
                Download the original
              </a>
            </dd>
          </>
        )}
        <dt>Digest (md5)</dt>
        <dd className="mono">{sample.digest}</dd>
        <dt>Id</dt>
        <dd className="mono">{sample.id}</dd>
        <dt>Address</dt>
        <dd className="row">
          <Link to="/datasets/$id" params={{ id: dataset }} search={{ ids: String(sample.id) }} className="cut">
            {address}
          </Link>
          <CopyButton text={new URL(address, location.href).href} what="address of the sample" />
        </dd>
        {Object.entries(sample.meta).map(([key, value]) => (
          <Fact key={key} name={key} value={value} />
        ))}
      </dl>
      <p>
        <a href={sample.url}>{sample.original ? 'Open the image' : 'Open the original image'}</a>
      </p>
      <Objects label={sample.label} classes={classes} />
      <ItemLineage dataset={dataset} sampleKey={sample.key} />
      <ItemHistory dataset={dataset} sampleKey={sample.key} classes={classes} />
    </>
  )
}

/** What a detection label holds; nothing for another label. */
function Objects({ label, classes }: { label: Sample['label']; classes: string[] }) {
  const all = labelObjects(label)
  const objects = all.filter(({ kind }) => kind !== 'ignored')
  const ignored = all.filter(({ kind }) => kind === 'ignored')
  return (
    <>
      {objects.length > 0 && (
        <section>
          <h2>Objects ({count(objects.length)})</h2>
          <ObjectList label="Objects" objects={objects} classes={classes} />
        </section>
      )}
      {ignored.length > 0 && (
        <section>
          <h2>Regions to ignore ({count(ignored.length)})</h2>
          <p className="quiet small">Hatched in the image. Training and metrics leave them out.</p>
          <ObjectList label="Regions to ignore" objects={ignored} classes={classes} />
        </section>
      )}
    </>
  )
}

function Fact({ name, value }: { name: string; value: unknown }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="mono">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
    </>
  )
}
