import { digitIndex, type Stroke, strokeName } from './keyboard'

/**
 * Which single-character keys act: everything, all but letters and signs, or none. WCAG 2.1.4 asks for the way out; keys
 * with Ctrl, and Enter, Backspace, Delete and arrows always act.
 */
export type SingleKeys = 'all' | 'digits' | 'none'

interface Facts {
  strokes: readonly string[]
  /** Held down, the key acts again and again; elsewhere a held key must not answer a row of images. */
  repeats?: true
}

const undo = { strokes: ['Mod+Z'], repeats: true } as const
const skipping = {
  skip: { strokes: ['S'] },
  skipReason: { strokes: ['Shift+S'] },
  flag: { strokes: ['F'] },
} as const
const commenting = { comments: { strokes: ['T'] } } as const
const looking = {
  zoom: { strokes: ['Z'] },
  zoomIn: { strokes: ['+'], repeats: true },
  zoomOut: { strokes: ['-'], repeats: true },
  brighter: { strokes: ['B'], repeats: true },
  darker: { strokes: ['Shift+B'], repeats: true },
  contrastUp: { strokes: ['C'], repeats: true },
  contrastDown: { strokes: ['Shift+C'], repeats: true },
  why: { strokes: ['I'] },
  guideline: { strokes: ['O'] },
} as const

const nudging = {
  nudgeLeft: { strokes: ['ArrowLeft'], repeats: true },
  nudgeRight: { strokes: ['ArrowRight'], repeats: true },
  nudgeUp: { strokes: ['ArrowUp'], repeats: true },
  nudgeDown: { strokes: ['ArrowDown'], repeats: true },
  nudgeLeftFar: { strokes: ['Shift+ArrowLeft'], repeats: true },
  nudgeRightFar: { strokes: ['Shift+ArrowRight'], repeats: true },
  nudgeUpFar: { strokes: ['Shift+ArrowUp'], repeats: true },
  nudgeDownFar: { strokes: ['Shift+ArrowDown'], repeats: true },
  narrower: { strokes: ['Alt+ArrowLeft'], repeats: true },
  wider: { strokes: ['Alt+ArrowRight'], repeats: true },
  lower: { strokes: ['Alt+ArrowUp'], repeats: true },
  higher: { strokes: ['Alt+ArrowDown'], repeats: true },
} as const
const showing = {
  hide: { strokes: ['H'] },
  names: { strokes: ['L'] },
} as const

/** Every action with its default strokes (its words: `key-words.ts`), by where it acts: `global` on every page, `goto` right after its `goTo`. */
export const actions = {
  global: {
    help: { strokes: ['?'] },
    palette: { strokes: ['Mod+K'] },
    goTo: { strokes: ['G'] },
  },
  goto: {
    home: { strokes: ['W'] },
    loop: { strokes: ['O'] },
    datasets: { strokes: ['D'] },
    label: { strokes: ['L'] },
    mining: { strokes: ['N'] },
    pipelines: { strokes: ['P'] },
    backtests: { strokes: ['B'] },
    planner: { strokes: ['F'] },
    models: { strokes: ['M'] },
    sweeps: { strokes: ['U'] },
    jobs: { strokes: ['J'] },
    workers: { strokes: ['K'] },
    review: { strokes: ['R'] },
    team: { strokes: ['T'] },
    people: { strokes: ['E'] },
    settings: { strokes: ['S'] },
  },
  items: {
    left: { strokes: ['ArrowLeft'], repeats: true },
    right: { strokes: ['ArrowRight'], repeats: true },
    up: { strokes: ['ArrowUp'], repeats: true },
    down: { strokes: ['ArrowDown'], repeats: true },
    pageUp: { strokes: ['PageUp'], repeats: true },
    pageDown: { strokes: ['PageDown'], repeats: true },
    first: { strokes: ['Home'] },
    last: { strokes: ['End'] },
    open: { strokes: ['Enter'] },
    similar: { strokes: ['S'] },
    search: { strokes: ['/'] },
    select: { strokes: ['Space'] },
    rangeHere: { strokes: ['Shift+Space'] },
    rangeLeft: { strokes: ['Shift+ArrowLeft'], repeats: true },
    rangeRight: { strokes: ['Shift+ArrowRight'], repeats: true },
    rangeUp: { strokes: ['Shift+ArrowUp'], repeats: true },
    rangeDown: { strokes: ['Shift+ArrowDown'], repeats: true },
    rangePageUp: { strokes: ['Shift+PageUp'], repeats: true },
    rangePageDown: { strokes: ['Shift+PageDown'], repeats: true },
    rangeFirst: { strokes: ['Shift+Home'] },
    rangeLast: { strokes: ['Shift+End'] },
    selectAll: { strokes: ['Mod+A'] },
    clear: { strokes: ['Escape'] },
    relabel: { strokes: ['R'] },
    move: { strokes: ['M'] },
    tag: { strokes: ['T'] },
    queue: { strokes: ['Q'] },
    remove: { strokes: ['X', 'Delete'] },
    copy: { strokes: ['Mod+C'] },
    shapes: { strokes: ['H'] },
    rendering: { strokes: ['V'] },
    predictions: { strokes: ['P'] },
    order: { strokes: ['O'] },
    undo: { strokes: ['Mod+Z'] },
  },
  map: {
    left: { strokes: ['ArrowLeft'], repeats: true },
    right: { strokes: ['ArrowRight'], repeats: true },
    up: { strokes: ['ArrowUp'], repeats: true },
    down: { strokes: ['ArrowDown'], repeats: true },
    zoomIn: { strokes: ['+', '='], repeats: true },
    zoomOut: { strokes: ['-'], repeats: true },
    showAll: { strokes: ['Home'] },
    select: { strokes: ['Space'] },
    open: { strokes: ['Enter'] },
    pan: { strokes: ['M'] },
    lasso: { strokes: ['L'] },
    box: { strokes: ['B'] },
    drawn: { strokes: ['D'] },
    clear: { strokes: ['Escape'] },
  },
  classify: {
    accept: { strokes: ['Enter'] },
    acceptSuggestion: { strokes: ['A'] },
    clear: { strokes: ['X', 'Delete'] },
    search: { strokes: ['/'] },
    ...skipping,
    undo: { ...undo, strokes: ['Backspace', 'Mod+Z'] },
    back: { strokes: ['ArrowLeft', 'Mod+ArrowLeft'], repeats: true },
    forward: { strokes: ['ArrowRight', 'Mod+ArrowRight'], repeats: true },
    ...commenting,
    ...looking,
  },
  grid: {
    acceptPage: { strokes: ['Shift+A', 'Mod+Enter'] },
    accept: { strokes: ['A'] },
    clear: { strokes: ['X', 'Delete'] },
    left: { strokes: ['ArrowLeft'], repeats: true },
    right: { strokes: ['ArrowRight'], repeats: true },
    up: { strokes: ['ArrowUp'], repeats: true },
    down: { strokes: ['ArrowDown'], repeats: true },
    rangeLeft: { strokes: ['Shift+ArrowLeft'], repeats: true },
    rangeRight: { strokes: ['Shift+ArrowRight'], repeats: true },
    rangeUp: { strokes: ['Shift+ArrowUp'], repeats: true },
    rangeDown: { strokes: ['Shift+ArrowDown'], repeats: true },
    selectAll: { strokes: ['Mod+A'] },
    larger: { strokes: ['+'] },
    smaller: { strokes: ['-'] },
    search: { strokes: ['/'] },
    zoom: { strokes: ['Z'] },
    ...skipping,
    ...commenting,
    undo: { ...undo, strokes: ['Backspace', 'Mod+Z'] },
    guideline: looking.guideline,
  },
  canvas: {
    accept: { strokes: ['A'] },
    acceptAll: { strokes: ['Shift+A'] },
    submit: { strokes: ['Mod+Enter'] },
    remove: { strokes: ['X', 'Delete'] },
    removeOrPoint: { strokes: ['Backspace'] },
    undo,
    redo: { strokes: ['Mod+Shift+Z', 'Mod+Y'], repeats: true },
    next: { strokes: ['J'], repeats: true },
    previous: { strokes: ['K'], repeats: true },
    addNext: { strokes: ['Shift+J'], repeats: true },
    addPrevious: { strokes: ['Shift+K'], repeats: true },
    selectAll: { strokes: ['Mod+A'] },
    several: { strokes: ['M'] },
    select: { strokes: ['V'] },
    box: { strokes: ['R'] },
    extreme: { strokes: ['E'] },
    polygon: { strokes: ['P'] },
    repeatTool: { strokes: ['N'] },
    draw: { strokes: ['Enter'] },
    back: { strokes: ['Mod+ArrowLeft'], repeats: true },
    forward: { strokes: ['Mod+ArrowRight'], repeats: true },
    ...nudging,
    copy: { strokes: ['Mod+C'] },
    paste: { strokes: ['Mod+V'] },
    duplicate: { strokes: ['Mod+D'] },
    pastePrevious: { strokes: ['Mod+Shift+V'] },
    ...showing,
    hideSelected: { strokes: ['Shift+H'] },
    cancel: { strokes: ['Escape'] },
    ...skipping,
    ...commenting,
    ...looking,
  },
  verify: {
    yes: { strokes: ['Y', 'A'] },
    no: { strokes: ['N', 'X', 'Delete'] },
    move: { strokes: ['M', 'E'] },
    confirm: { strokes: ['Enter'] },
    cancel: { strokes: ['Escape'] },
    undo: { ...undo, strokes: ['Backspace', 'Mod+Z'] },
    back: { strokes: ['Mod+ArrowLeft'], repeats: true },
    forward: { strokes: ['Mod+ArrowRight'], repeats: true },
    ...nudging,
    ...showing,
    ...skipping,
    ...commenting,
    ...looking,
    zoom: { strokes: ['Z'] },
  },
  review: {
    accept: { strokes: ['A', 'Mod+Enter'] },
    edit: { strokes: ['E'] },
    reject: { strokes: ['X', 'Delete'] },
    reason: { strokes: ['R'] },
    undo: { ...undo, strokes: ['Backspace', 'Mod+Z'] },
    back: { strokes: ['ArrowLeft', 'K'], repeats: true },
    forward: { strokes: ['ArrowRight', 'J'], repeats: true },
    consensus: { strokes: ['C'] },
    suggestion: { strokes: ['M'] },
    hide: { strokes: ['H'] },
    names: { strokes: ['L'] },
    ...commenting,
    guideline: looking.guideline,
  },
} as const satisfies Record<string, Record<string, Facts>>

export type Scope = keyof typeof actions
export type ActionOf<S extends Scope> = keyof (typeof actions)[S] & string

/** The pages that `goto` leads to. */
export const pageNames = {
  home: 'My work',
  loop: 'Loop',
  datasets: 'Datasets',
  label: 'Label',
  mining: 'Mining',
  pipelines: 'Pipelines',
  backtests: 'Back-tests',
  planner: 'Planner',
  models: 'Models',
  sweeps: 'Sweeps',
  jobs: 'Jobs',
  workers: 'Workers',
  review: 'Review',
  team: 'Team',
  people: 'People',
  settings: 'Settings',
} as const satisfies Record<ActionOf<'goto'>, string>

/** The changes that one person made; what is not named keeps its default strokes. */
export interface KeyMap {
  single: SingleKeys
  /** By `scope.action`. An empty list leaves the action without a key. */
  strokes: Record<string, string[]>
}

export const plainKeyMap: KeyMap = { single: 'all', strokes: {} }

export function factsOf(scope: Scope): Record<string, Facts> {
  return actions[scope]
}

export function strokesFor(scope: Scope, action: string, map: KeyMap): readonly string[] {
  return map.strokes[`${scope}.${action}`] ?? factsOf(scope)[action]?.strokes ?? []
}

/** What a stroke does there; null for nothing. */
export function actionFor<S extends Scope>(stroke: Stroke, scope: S, map: KeyMap): ActionOf<S> | null {
  const name = stroke.isComposing ? null : strokeName(stroke)
  if (name === null || !acts(name, scope, map.single)) return null
  return (Object.keys(factsOf(scope)).find((action) => strokesFor(scope, action, map).includes(name)) ?? null) as ActionOf<S> | null
}

/** Whether the action goes on while its key is held. */
export function repeats(scope: Scope, action: string): boolean {
  return factsOf(scope)[action]?.repeats === true
}

/** The place (0..19) of the class that a digit key answers; null for other keys and where digits are switched off. */
export function placeFor(stroke: Stroke, map: KeyMap): number | null {
  return stroke.isComposing || map.single === 'none' ? null : digitIndex(stroke)
}

/** A letter after the key of `goTo` is pressed on purpose. */
function acts(name: string, scope: Scope, single: SingleKeys): boolean {
  return single === 'all' || scope === 'goto' || !isSingle(name)
}

/** A stroke that types one character, so that speech input could press it by accident. */
export function isSingle(name: string): boolean {
  return /^(Shift\+)?[A-Z]$/.test(name) || (name.length === 1 && !/\d/.test(name))
}

/** Digits choose classes everywhere and can mean nothing else. */
export function isReserved(name: string): boolean {
  return /^(Shift\+)?\d$/.test(name) || ['Tab', 'Shift+Tab'].includes(name)
}

/** The other action that this stroke already does where the scope acts; null when it is free. */
export function ownerOf(name: string, scope: Scope, action: string, map: KeyMap): { scope: Scope; action: string } | null {
  for (const where of besides(scope)) {
    const owner = Object.keys(factsOf(where)).find(
      (each) => !(where === scope && each === action) && strokesFor(where, each, map).includes(name),
    )
    if (owner !== undefined) return { scope: where, action: owner }
  }
  return null
}

/** The scopes whose keys act at the same time as those of this one. */
function besides(scope: Scope): Scope[] {
  if (scope === 'goto') return ['goto']
  return scope === 'global' ? ['global', 'items', 'map', 'classify', 'grid', 'canvas', 'verify', 'review'] : [scope, 'global']
}

/** The map with other strokes for one action; the defaults are forgotten, so that a later default can move. */
export function rebound(map: KeyMap, scope: Scope, action: string, strokes: readonly string[]): KeyMap {
  const key = `${scope}.${action}`
  const others = Object.fromEntries(Object.entries(map.strokes).filter(([each]) => each !== key))
  const plain = factsOf(scope)[action]?.strokes ?? []
  const isPlain = plain.length === strokes.length && plain.every((stroke) => strokes.includes(stroke))
  return { ...map, strokes: isPlain ? others : { ...others, [key]: [...strokes] } }
}

/** A stored map, with what no longer exists left out. */
export function readKeyMap(stored: unknown): KeyMap {
  if (typeof stored !== 'object' || stored === null) return plainKeyMap
  const { single, strokes } = stored as { single?: unknown; strokes?: unknown }
  const pairs = typeof strokes === 'object' && strokes !== null ? Object.entries(strokes) : []
  const known = pairs.filter(([key, names]) => isAction(key) && Array.isArray(names) && names.every((name) => typeof name === 'string'))
  return {
    single: single === 'digits' || single === 'none' ? single : 'all',
    strokes: Object.fromEntries(known),
  }
}

function isAction(key: string): boolean {
  const [scope = '', action = ''] = key.split('.')
  return scope in actions && action in factsOf(scope as Scope)
}
