import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  Outlet,
  type ErrorComponentProps,
} from '@tanstack/react-router'

import { diffSearch } from '../shared/routes/diff-search'
import { reviewListSearch, reviewSearch, teamSearch } from '../shared/routes/people-search'
import { gridSearch } from '../shared/routes/grid-search'
import { jobsSearch } from '../shared/routes/jobs-search'
import { knownSearch } from '../shared/routes/known-search'
import { listSearch } from '../shared/routes/list-search'
import { mineSearch, miningSearch } from '../shared/routes/mining-search'
import { outcomesSearch } from '../shared/routes/outcomes-search'
import { plannerSearch } from '../shared/routes/planner-search'
import { queuesSearch } from '../shared/routes/queues-search'
import { runTableSearch } from '../shared/routes/run-table-search'
import { Empty, Failure } from '../shared/ui/messages'
import { usePageTitle } from './page-title'
import { Shell } from './shell'

/** Whether something in an address may be the number of a thing. */
const isId = (said: unknown) => /^[1-9]\d*$/.test(String(said))

const root = createRootRoute({ component: Titled })

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: knownSearch(({ next, refused }): { next?: string; refused?: string } => ({
    ...(typeof next === 'string' ? { next } : {}),
    ...(typeof refused === 'string' ? { refused } : {}),
  })),
  component: lazyRouteComponent(() => import('../features/session/login-page'), 'LoginPage'),
})

const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Shell })

const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyRouteComponent(() => import('./home-page'), 'HomePage'),
})
const loop = createRoute({
  getParentRoute: () => inside,
  path: '/loop',
  component: lazyRouteComponent(() => import('../features/pipelines/loop-page'), 'LoopPage'),
})
const pipelines = createRoute({
  getParentRoute: () => inside,
  path: '/pipelines',
  validateSearch: knownSearch(listSearch),
  component: lazyRouteComponent(() => import('../features/pipelines/list-page'), 'PipelinesPage'),
})
const newPipeline = createRoute({
  getParentRoute: () => inside,
  path: '/pipelines/new',
  // The pipeline whose settings the form begins with.
  validateSearch: knownSearch((search): { like?: string } => (isId(search.like) ? { like: String(search.like) } : {})),
  component: lazyRouteComponent(() => import('../features/pipelines/form/new-page'), 'NewPipelinePage'),
})
const pipeline = createRoute({
  getParentRoute: () => inside,
  path: '/pipelines/$id',
  component: lazyRouteComponent(() => import('../features/pipelines/pipeline-page'), 'PipelinePage'),
})
const editPipeline = createRoute({
  getParentRoute: () => inside,
  path: '/pipelines/$id/edit',
  component: lazyRouteComponent(() => import('../features/pipelines/form/edit-page'), 'EditPipelinePage'),
})
const miningJobs = createRoute({
  getParentRoute: () => inside,
  path: '/mining',
  validateSearch: knownSearch(miningSearch),
  component: lazyRouteComponent(() => import('../features/mining/list-page'), 'MiningPage'),
})
const newMiningJob = createRoute({
  getParentRoute: () => inside,
  path: '/mining/new',
  // What the form begins with.
  validateSearch: knownSearch(mineSearch),
  component: lazyRouteComponent(() => import('../features/mining/form/new-page'), 'NewMiningJobPage'),
})
const miningJob = createRoute({
  getParentRoute: () => inside,
  path: '/mining/$job',
  // The rank of the pick whose explanation is open.
  validateSearch: knownSearch((search): { pick?: number } => (isId(search.pick) ? { pick: Number(search.pick) } : {})),
  component: lazyRouteComponent(() => import('../features/mining/job-page'), 'MiningJobPage'),
})
const backtests = createRoute({
  getParentRoute: () => inside,
  path: '/backtests',
  validateSearch: knownSearch(listSearch),
  component: lazyRouteComponent(() => import('../features/backtests/list-page'), 'BacktestsPage'),
})
const newBacktest = createRoute({
  getParentRoute: () => inside,
  path: '/backtests/new',
  component: lazyRouteComponent(() => import('../features/backtests/new-page'), 'NewBacktestPage'),
})
const backtest = createRoute({
  getParentRoute: () => inside,
  path: '/backtests/$id',
  component: lazyRouteComponent(() => import('../features/backtests/backtest-page'), 'BacktestPage'),
})
const sweeps = createRoute({
  getParentRoute: () => inside,
  path: '/sweeps',
  validateSearch: knownSearch(listSearch),
  component: lazyRouteComponent(() => import('../features/runs/sweeps/list-page'), 'SweepsPage'),
})
const newSweep = createRoute({
  getParentRoute: () => inside,
  path: '/sweeps/new',
  component: lazyRouteComponent(() => import('../features/runs/sweeps/new-page'), 'NewSweepPage'),
})
const sweep = createRoute({
  getParentRoute: () => inside,
  path: '/sweeps/$id',
  component: lazyRouteComponent(() => import('../features/runs/sweeps/sweep-page'), 'SweepPage'),
})
const planner = createRoute({
  getParentRoute: () => inside,
  path: '/planner',
  validateSearch: knownSearch(plannerSearch),
  component: lazyRouteComponent(() => import('../features/planner/planner-page'), 'PlannerPage'),
})
const datasets = createRoute({
  getParentRoute: () => inside,
  path: '/datasets',
  validateSearch: knownSearch(listSearch),
  component: lazyRouteComponent(() => import('../features/datasets/list-page'), 'DatasetsPage'),
})
const newDataset = createRoute({
  getParentRoute: () => inside,
  path: '/datasets/new',
  component: lazyRouteComponent(() => import('../features/datasets/create/new-page'), 'NewDatasetPage'),
})
const dataset = createRoute({
  getParentRoute: () => inside,
  path: '/datasets/$id',
  validateSearch: knownSearch(gridSearch),
  component: lazyRouteComponent(() => import('../features/datasets/grid-page'), 'GridPage'),
})
const statistics = createRoute({
  getParentRoute: () => inside,
  path: '/datasets/$id/statistics',
  validateSearch: knownSearch(gridSearch),
  component: lazyRouteComponent(() => import('../features/datasets/statistics/statistics-page'), 'StatisticsPage'),
})
const map = createRoute({
  getParentRoute: () => inside,
  path: '/datasets/$id/map',
  // The map that is shown; without it, the newest.
  validateSearch: knownSearch((search): { m?: number } => (isId(search.m) ? { m: Number(search.m) } : {})),
  component: lazyRouteComponent(() => import('../features/datasets/map/map-page'), 'MapPage'),
})
const lake = createRoute({
  getParentRoute: () => inside,
  path: '/datasets/$id/lake',
  component: lazyRouteComponent(() => import('../features/datasets/lake/lake-page'), 'LakePage'),
})
const versions = createRoute({
  getParentRoute: () => inside,
  path: '/datasets/$id/versions',
  // The version whose details are open, 0 for none; and what is searched for.
  validateSearch: knownSearch((search): { v?: number; q?: string } => ({ ...(/^\d+$/.test(String(search.v)) ? { v: Number(search.v) } : {}), ...listSearch(search) })),
  component: lazyRouteComponent(() => import('../features/datasets/versions/versions-page'), 'VersionsPage'),
})
const diff = createRoute({
  getParentRoute: () => inside,
  path: '/datasets/$id/diff',
  validateSearch: knownSearch(diffSearch),
  component: lazyRouteComponent(() => import('../features/datasets/diff/diff-page'), 'DiffPage'),
})
const queues = createRoute({
  getParentRoute: () => inside,
  path: '/label',
  validateSearch: knownSearch(queuesSearch),
  component: lazyRouteComponent(() => import('../features/labeling/queues/queues-page'), 'QueuesPage'),
})
const queue = createRoute({
  getParentRoute: () => inside,
  path: '/label/$queue',
  component: lazyRouteComponent(() => import('../features/labeling/workspace-page'), 'WorkspacePage'),
})

const reviews = createRoute({
  getParentRoute: () => inside,
  path: '/review',
  validateSearch: knownSearch(reviewListSearch),
  component: lazyRouteComponent(() => import('../features/review/list-page'), 'ReviewsPage'),
})
const reviewQueue = createRoute({
  getParentRoute: () => inside,
  path: '/review/$queue',
  validateSearch: knownSearch(reviewSearch),
  component: lazyRouteComponent(() => import('../features/review/review-page'), 'ReviewPage'),
})
const team = createRoute({
  getParentRoute: () => inside,
  path: '/team',
  validateSearch: knownSearch(teamSearch),
  component: lazyRouteComponent(() => import('../features/team/team-page'), 'TeamPage'),
})
const people = createRoute({
  getParentRoute: () => inside,
  path: '/people',
  validateSearch: knownSearch(listSearch),
  component: lazyRouteComponent(() => import('../features/people/people-page'), 'PeoplePage'),
})
const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  component: lazyRouteComponent(() => import('../features/settings/settings-page'), 'SettingsPage'),
})
const classes = createRoute({
  getParentRoute: () => inside,
  path: '/datasets/$id/classes',
  component: lazyRouteComponent(() => import('./classes-page'), 'ClassesPage'),
})
const nearDuplicates = createRoute({
  getParentRoute: () => inside,
  path: '/datasets/$id/near-duplicates',
  // The leak check that is followed.
  validateSearch: knownSearch((search): { check?: number } => (isId(search.check) ? { check: Number(search.check) } : {})),
  component: lazyRouteComponent(() => import('../features/datasets/near-duplicates-page'), 'NearDuplicatesPage'),
})
const projects = createRoute({
  getParentRoute: () => inside,
  path: '/settings/projects',
  validateSearch: knownSearch(listSearch),
  component: lazyRouteComponent(() => import('../features/projects/list-page'), 'ProjectsPage'),
})
const project = createRoute({
  getParentRoute: () => inside,
  path: '/settings/projects/$project',
  validateSearch: knownSearch(listSearch),
  component: lazyRouteComponent(() => import('../features/projects/project-page'), 'ProjectPage'),
})
const audit = createRoute({
  getParentRoute: () => inside,
  path: '/settings/audit',
  validateSearch: knownSearch(listSearch),
  component: lazyRouteComponent(() => import('../features/audit/audit-page'), 'AuditPage'),
})
const notifications = createRoute({
  getParentRoute: () => inside,
  path: '/notifications',
  component: lazyRouteComponent(() => import('../features/notifications/notifications-page'), 'NotificationsPage'),
})
const peoplePages = [reviews, reviewQueue, team, people, settings, projects, project, audit, classes, nearDuplicates, notifications]

const keys = createRoute({
  getParentRoute: () => inside,
  path: '/settings/keys',
  component: lazyRouteComponent(() => import('../features/settings/keys-page'), 'KeysPage'),
})

const models = createRoute({
  getParentRoute: () => inside,
  path: '/models',
  validateSearch: knownSearch(listSearch),
  component: lazyRouteComponent(() => import('../features/models/list-page'), 'ModelsPage'),
})

const model = createRoute({
  getParentRoute: () => inside,
  path: '/models/$model',
  validateSearch: knownSearch((search): { join?: string } => (/^\d+(,\d+)*$/.test(String(search.join)) ? { join: String(search.join) } : {})),
  component: lazyRouteComponent(() => import('../features/models/model-page'), 'ModelPage'),
})

const compareVersions = createRoute({
  getParentRoute: () => inside,
  path: '/models/$model/compare',
  validateSearch: knownSearch((search): { a?: string; b?: string } => ({
    ...(typeof search.a === 'string' && search.a !== '' ? { a: search.a } : {}),
    ...(typeof search.b === 'string' && search.b !== '' ? { b: search.b } : {}),
  })),
  component: lazyRouteComponent(() => import('../features/models/compare-page'), 'CompareVersionsPage'),
})
const compareRuns = createRoute({
  getParentRoute: () => inside,
  path: '/runs/compare',
  validateSearch: knownSearch((search): { ids?: string } => (/^\d+(,\d+)*$/.test(String(search.ids)) ? { ids: String(search.ids) } : {})),
  component: lazyRouteComponent(() => import('../features/runs/compare-page'), 'CompareRunsPage'),
})
const modelVersion = createRoute({
  getParentRoute: () => inside,
  path: '/models/$model/$version',
  component: lazyRouteComponent(() => import('../features/models/version-page'), 'VersionPage'),
})

const outcomes = createRoute({
  getParentRoute: () => inside,
  path: '/models/$model/$version/outcomes',
  validateSearch: knownSearch(outcomesSearch),
  component: lazyRouteComponent(() => import('../features/models/outcomes/outcomes-page'), 'OutcomesPage'),
})

const runs = createRoute({
  getParentRoute: () => inside,
  path: '/runs',
  validateSearch: knownSearch(runTableSearch),
  component: lazyRouteComponent(() => import('../features/runs/table/table-page'), 'RunTablePage'),
})
const run = createRoute({
  getParentRoute: () => inside,
  path: '/runs/$id',
  component: lazyRouteComponent(() => import('../features/runs/run-page'), 'RunPage'),
})

const encoders = createRoute({
  getParentRoute: () => inside,
  path: '/encoders',
  validateSearch: knownSearch(listSearch),
  component: lazyRouteComponent(() => import('../features/encoders/list-page'), 'EncodersPage'),
})

const jobs = createRoute({
  getParentRoute: () => inside,
  path: '/jobs',
  validateSearch: knownSearch(jobsSearch),
  component: lazyRouteComponent(() => import('../features/jobs/list-page'), 'JobsPage'),
})
const job = createRoute({
  getParentRoute: () => inside,
  path: '/jobs/$id',
  component: lazyRouteComponent(() => import('../features/jobs/job-page'), 'JobPage'),
})
const workers = createRoute({
  getParentRoute: () => inside,
  path: '/workers',
  component: lazyRouteComponent(() => import('../features/workers/workers-page'), 'WorkersPage'),
})

const nowhere = createRoute({ getParentRoute: () => inside, path: '$', component: NoSuchPage })

const loopPages = [loop, pipelines, newPipeline, pipeline, editPipeline, miningJobs, newMiningJob, miningJob, backtests, newBacktest, backtest, planner]
const otherPages = [datasets, newDataset, dataset, statistics, versions, diff, queues, queue, keys, models, model, modelVersion, outcomes, encoders, runs, run, sweeps, newSweep, sweep]
const operationPages = [home, jobs, job, workers, map, lake, compareVersions, compareRuns, nowhere]

/** A router of all pages, at the address of the window. */
export function makeRouter() {
  return createRouter({
    routeTree: root.addChildren([login, inside.addChildren([...loopPages, ...otherPages, ...peoplePages, ...operationPages])]),
    basepath: '/app',
    defaultPreload: 'intent',
    // Plain parameters: the router's own way would write label=7 as label=%227%22.
    parseSearch,
    stringifySearch,
    defaultErrorComponent: PageFailed,
    defaultNotFoundComponent: NoSuchPage,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}

/** A name that an address has several times has all its values. */
function parseSearch(text: string): Record<string, string | string[]> {
  const given = new URLSearchParams(text)
  return Object.fromEntries([...new Set(given.keys())].map((name) => [name, given.getAll(name).length > 1 ? given.getAll(name) : (given.get(name) ?? '')]))
}

function stringifySearch(search: Record<string, unknown>): string {
  const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const pairs = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : Array.isArray(value) ? value.map((one) => [name, plain(one)]) : [[name, plain(value)]]))
  return pairs.length > 0 ? `?${new URLSearchParams(pairs).toString()}` : ''
}

function Titled() {
  usePageTitle()
  return <Outlet />
}

function NoSuchPage() {
  return (
    <div className="page">
      <Empty
        action={
          <Link to="/" className="button">
            To my work
          </Link>
        }
      >
        Page not found.
      </Empty>
    </div>
  )
}

function PageFailed({ error, reset }: ErrorComponentProps) {
  return (
    <div className="page">
      <Failure
        what="This page stopped working"
        error={error}
        safe="Your labels are kept on this computer until the server has them."
        retry={reset}
      />
    </div>
  )
}
