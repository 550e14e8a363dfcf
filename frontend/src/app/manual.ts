/** The page of the manual about each address of the application; the first that fits. */
const pages: readonly (readonly [address: RegExp, page: string])[] = [
  [/^\/$/, 'howto/first-loop'],
  [/^\/(loop|pipelines)(\/|$)/, 'howto/pipelines'],
  [/^\/datasets(\/new)?$/, 'howto/getting-data-in'],
  [/^\/datasets\/[^/]+\/statistics$/, 'howto/splits-and-slices'],
  [/^\/datasets\/[^/]+\/near-duplicates$/, 'howto/splits-and-slices'],
  [/^\/datasets\/[^/]+\/map$/, 'howto/maps'],
  [/^\/datasets\/[^/]+\/lake$/, 'howto/lake'],
  [/^\/datasets\/[^/]+\/classes$/, 'howto/label-schema'],
  [/^\/datasets\/[^/]+(\/(versions|diff))?$/, 'howto/editing-samples'],
  [/^\/label(\/|$)/, 'howto/labeling'],
  [/^\/(review|team)(\/|$)/, 'howto/label-quality'],
  [/^\/models$/, 'howto/models'],
  [/^\/models\/[^/]+$/, 'howto/models'],
  [/^\/models\//, 'howto/evaluation-and-gates'],
  [/^\/encoders$/, 'howto/similar#encoders-of-yours'],
  [/^\/runs(\/|$)/, 'howto/training'],
  [/^\/sweeps(\/|$)/, 'howto/sweeps'],
  [/^\/mining\/./, 'howto/composing-batches'],
  [/^\/mining$/, 'howto/strategies'],
  [/^\/backtests(\/|$)/, 'howto/backtests'],
  [/^\/planner$/, 'howto/planning'],
  [/^\/(jobs|workers)(\/|$)/, 'howto/jobs-and-workers'],
  [/^\/notifications$/, 'howto/notifications'],
  [/^\/settings\/keys$/, 'howto/labeling#keys'],
  [/^\/(people|settings)(\/|$)/, 'howto/people'],
]

/** Where the platform serves the page of its manual about an address; its first page where none is about it. */
export function manualAt(path: string): string {
  return `/manual/${pages.find(([address]) => address.test(path))?.[1] ?? ''}`
}
