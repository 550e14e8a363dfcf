import { useInfiniteQuery } from '@tanstack/react-query'

import type { MiningJob, PickOfJob } from '../../shared/api/types'
import { labelBoxes } from '../../shared/format/labels'
import { count } from '../../shared/format/numbers'
import { BoxPicture } from '../../shared/ui/box-picture'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { figure } from './explanation'
import { sizeOf } from './fitting'
import { picksList, useClasses } from './queries'

interface PicksPanelProps {
  job: MiningJob
  /** From which score on picks are wanted. */
  cut: number | null
  /** Opens the explanation of the pick with this rank. */
  onOpen: (rank: number) => void
}

export function PicksPanel({ job, cut, onOpen }: PicksPanelProps) {
  const picks = useInfiniteQuery(picksList(job.id))
  const classes = useClasses(job)
  const read = picks.data?.pages.flatMap(({ results }) => results) ?? []
  return (
    <section className="panel" aria-labelledby="picks">
      <div className="panel-head">
        <h2 id="picks" className="grow">
          Picks
        </h2>
        <span className="quiet small">by rank; the random control arm last</span>
      </div>
      <div className="panel-body stack wide-gap">
        {picks.isPending && <Skeleton height={200} />}
        {picks.isError && !picks.data && <Failure what="The picks could not be loaded" error={picks.error} retry={() => void picks.refetch()} />}
        {picks.data && read.length === 0 && <Empty>No picks: no sample of the pool passes the filter and the constraints.</Empty>}
        {read.length > 0 && (
          <ul className="picks">
            {read.map((pick) => (
              <li key={pick.rank}>
                <PickTile pick={pick} classes={classes} out={cut !== null && !pick.control && (pick.score === null || pick.score < cut)} onOpen={() => onOpen(pick.rank)} />
              </li>
            ))}
          </ul>
        )}
        {picks.hasNextPage && (
          <div>
            <button type="button" className="button" disabled={picks.isFetchingNextPage} onClick={() => void picks.fetchNextPage()}>
              {picks.isFetchingNextPage ? 'Reading…' : `Show more after ${count(read.length)}`}
            </button>
          </div>
        )}
      </div>
    </section>
  )
}

interface PickTileProps {
  pick: PickOfJob
  classes: readonly string[]
  /** Below the cut. */
  out: boolean
  onOpen: () => void
}

function PickTile({ pick, classes, out, onOpen }: PickTileProps) {
  const boxes = labelBoxes(pick.prediction)
  const counted = sizeOf(pick.sample)
  return (
    <button type="button" className="pick" aria-haspopup="dialog" onClick={onOpen}>
      {boxes.length > 0 && counted ? (
        <BoxPicture src={pick.sample.thumb} alt="" boxes={boxes} classes={classes} counted={counted} manner="kept" />
      ) : (
        <img src={pick.sample.thumb} alt="" className="pixels" loading="lazy" />
      )}
      <span className="row">
        <strong className="grow">
          <span className="visually-hidden">Pick </span>
          {count(pick.rank)}
        </strong>
        {out && <Chip bare>cut off</Chip>}
        {pick.control ? <Chip bare>control</Chip> : pick.score !== null && <span className="quiet small">{figure(pick.score)}</span>}
      </span>
      <span className="quiet small pick-reason">{pick.reason}</span>
    </button>
  )
}
