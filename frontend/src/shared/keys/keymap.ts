import { digitIndex, type Stroke, strokeName } from './keyboard'

/**
 * Which single-character keys act: everything, all but letters and signs, or none. WCAG 2.1.4 asks for the way out; keys
 * with Ctrl, and Enter, Backspace, Delete and arrows always act.
 */
export type SingleKeys = 'all' | 'digits' | 'none'

interface Facts {
  words: string
  strokes: readonly string[]
  /** Held down, the key acts again and again; elsewhere a held key must not answer a row of images. */
  repeats?: true
}

const undo = { words: 'Undo', strokes: ['Mod+Z'], repeats: true } as const
const skipping = {
  skip: { words: 'Skip this image', strokes: ['S'] },
  skipReason: { words: 'Skip and say why', strokes: ['Shift+S'] },
  flag: { words: 'Flag for review', strokes: ['F'] },
} as const
const commenting = { comments: { words: 'Show the comments and write one', strokes: ['T'] } } as const
const looking = {
  zoom: { words: 'Zoom in, or back to fit', strokes: ['Z'] },
  zoomIn: { words: 'Zoom in', strokes: ['+'], repeats: true },
  zoomOut: { words: 'Zoom out', strokes: ['-'], repeats: true },
  brighter: { words: 'Brighter', strokes: ['B'], repeats: true },
  darker: { words: 'Darker', strokes: ['Shift+B'], repeats: true },
  contrastUp: { words: 'More contrast', strokes: ['C'], repeats: true },
  contrastDown: { words: 'Less contrast', strokes: ['Shift+C'], repeats: true },
  why: { words: 'Show or hide “Why this sample?”', strokes: ['I'] },
  guideline: { words: 'Show or hide the guidelines', strokes: ['O'] },
} as const

const nudging = {
  nudgeLeft: { words: 'Move 1 px left', strokes: ['ArrowLeft'], repeats: true },
  nudgeRight: { words: 'Move 1 px right', strokes: ['ArrowRight'], repeats: true },
  nudgeUp: { words: 'Move 1 px up', strokes: ['ArrowUp'], repeats: true },
  nudgeDown: { words: 'Move 1 px down', strokes: ['ArrowDown'], repeats: true },
  nudgeLeftFar: { words: 'Move 10 px left', strokes: ['Shift+ArrowLeft'], repeats: true },
  nudgeRightFar: { words: 'Move 10 px right', strokes: ['Shift+ArrowRight'], repeats: true },
  nudgeUpFar: { words: 'Move 10 px up', strokes: ['Shift+ArrowUp'], repeats: true },
  nudgeDownFar: { words: 'Move 10 px down', strokes: ['Shift+ArrowDown'], repeats: true },
  narrower: { words: 'Narrower by 1 px', strokes: ['Alt+ArrowLeft'], repeats: true },
  wider: { words: 'Wider by 1 px', strokes: ['Alt+ArrowRight'], repeats: true },
  lower: { words: 'Shorter by 1 px', strokes: ['Alt+ArrowUp'], repeats: true },
  higher: { words: 'Taller by 1 px', strokes: ['Alt+ArrowDown'], repeats: true },
} as const
const showing = {
  hide: { words: 'Hide or show the shapes', strokes: ['H'] },
  names: { words: 'Hide or show the names', strokes: ['L'] },
} as const

/** Every action with its default strokes, by where it acts: `global` on every page, `goto` right after its `goTo`. */
export const actions = {
  global: {
    help: { words: 'Show the keys', strokes: ['?'] },
    palette: { words: 'Find a page, dataset, model, queue or job by name', strokes: ['Mod+K'] },
    goTo: { words: 'Go to a page: press the letter of the page after it', strokes: ['G'] },
  },
  goto: {
    home: { words: 'My work', strokes: ['W'] },
    loop: { words: 'Loop', strokes: ['O'] },
    datasets: { words: 'Datasets', strokes: ['D'] },
    label: { words: 'Label', strokes: ['L'] },
    mining: { words: 'Mining', strokes: ['N'] },
    pipelines: { words: 'Pipelines', strokes: ['P'] },
    backtests: { words: 'Back-tests', strokes: ['B'] },
    planner: { words: 'Planner', strokes: ['F'] },
    models: { words: 'Models', strokes: ['M'] },
    sweeps: { words: 'Sweeps', strokes: ['U'] },
    jobs: { words: 'Jobs', strokes: ['J'] },
    workers: { words: 'Workers', strokes: ['K'] },
    review: { words: 'Review', strokes: ['R'] },
    team: { words: 'Team', strokes: ['T'] },
    people: { words: 'People', strokes: ['E'] },
    settings: { words: 'Settings', strokes: ['S'] },
  },
  items: {
    left: { words: 'Tile to the left', strokes: ['ArrowLeft'], repeats: true },
    right: { words: 'Tile to the right', strokes: ['ArrowRight'], repeats: true },
    up: { words: 'Tile above', strokes: ['ArrowUp'], repeats: true },
    down: { words: 'Tile below', strokes: ['ArrowDown'], repeats: true },
    pageUp: { words: 'A page up', strokes: ['PageUp'], repeats: true },
    pageDown: { words: 'A page down', strokes: ['PageDown'], repeats: true },
    first: { words: 'First tile', strokes: ['Home'] },
    last: { words: 'Last tile', strokes: ['End'] },
    open: { words: 'Open the tile', strokes: ['Enter'] },
    similar: { words: 'Find samples similar to this one', strokes: ['S'] },
    search: { words: 'Search by key or by meaning', strokes: ['/'] },
    select: { words: 'Select the tile; again deselects it', strokes: ['Space'] },
    rangeHere: { words: 'Select up to this tile', strokes: ['Shift+Space'] },
    rangeLeft: { words: 'Select to the left', strokes: ['Shift+ArrowLeft'], repeats: true },
    rangeRight: { words: 'Select to the right', strokes: ['Shift+ArrowRight'], repeats: true },
    rangeUp: { words: 'Select upwards', strokes: ['Shift+ArrowUp'], repeats: true },
    rangeDown: { words: 'Select downwards', strokes: ['Shift+ArrowDown'], repeats: true },
    rangePageUp: { words: 'Select a page up', strokes: ['Shift+PageUp'], repeats: true },
    rangePageDown: { words: 'Select a page down', strokes: ['Shift+PageDown'], repeats: true },
    rangeFirst: { words: 'Select to the first tile', strokes: ['Shift+Home'] },
    rangeLast: { words: 'Select to the last tile', strokes: ['Shift+End'] },
    selectAll: { words: 'Select all that match the filter', strokes: ['Mod+A'] },
    clear: { words: 'Clear the selection', strokes: ['Escape'] },
    relabel: { words: 'Relabel the selection', strokes: ['R'] },
    move: { words: 'Move the selection to a split', strokes: ['M'] },
    tag: { words: 'Tag the selection', strokes: ['T'] },
    queue: { words: 'Send the selection to a queue', strokes: ['Q'] },
    remove: { words: 'Remove the selection from the dataset', strokes: ['X', 'Delete'] },
    copy: { words: 'Copy the keys of the selection', strokes: ['Mod+C'] },
    shapes: { words: 'Draw boxes and polygons on the tiles, or hide them', strokes: ['H'] },
    rendering: { words: 'Draw the tiles smooth, in pixels, or by their size', strokes: ['V'] },
    predictions: { words: 'Choose whose predictions are shown', strokes: ['P'] },
    order: { words: 'Choose the order of the tiles', strokes: ['O'] },
    undo: { words: 'Undo the last change of this page', strokes: ['Mod+Z'] },
  },
  map: {
    left: { words: 'Move to the left', strokes: ['ArrowLeft'], repeats: true },
    right: { words: 'Move to the right', strokes: ['ArrowRight'], repeats: true },
    up: { words: 'Move up', strokes: ['ArrowUp'], repeats: true },
    down: { words: 'Move down', strokes: ['ArrowDown'], repeats: true },
    zoomIn: { words: 'Zoom in', strokes: ['+', '='], repeats: true },
    zoomOut: { words: 'Zoom out', strokes: ['-'], repeats: true },
    showAll: { words: 'Show the whole map', strokes: ['Home'] },
    select: { words: 'Select the sample in the middle; again deselects it', strokes: ['Space'] },
    open: { words: 'Open the sample in the middle', strokes: ['Enter'] },
    pan: { words: 'Tool: move', strokes: ['M'] },
    lasso: { words: 'Tool: lasso', strokes: ['L'] },
    box: { words: 'Tool: box', strokes: ['B'] },
    drawn: { words: 'Show points, density, or whichever fits', strokes: ['D'] },
    clear: { words: 'Clear the selection', strokes: ['Escape'] },
  },
  classify: {
    accept: { words: 'Accept the suggestion; with several classes, submit them', strokes: ['Enter'] },
    acceptSuggestion: { words: 'Accept the suggestion', strokes: ['A'] },
    clear: { words: 'Reject: the other of two classes; with several, untick all', strokes: ['X', 'Delete'] },
    search: { words: 'Find a class by name', strokes: ['/'] },
    ...skipping,
    undo: { ...undo, words: 'Undo the last answer', strokes: ['Backspace', 'Mod+Z'] },
    back: { words: 'Go back', strokes: ['ArrowLeft', 'Mod+ArrowLeft'], repeats: true },
    forward: { words: 'Go forward', strokes: ['ArrowRight', 'Mod+ArrowRight'], repeats: true },
    ...commenting,
    ...looking,
  },
  grid: {
    acceptPage: { words: 'Accept the page', strokes: ['Shift+A', 'Mod+Enter'] },
    accept: { words: 'Accept this tile', strokes: ['A'] },
    clear: { words: 'Leave this tile out; again puts it back', strokes: ['X', 'Delete'] },
    left: { words: 'Tile to the left', strokes: ['ArrowLeft'], repeats: true },
    right: { words: 'Tile to the right', strokes: ['ArrowRight'], repeats: true },
    up: { words: 'Tile above', strokes: ['ArrowUp'], repeats: true },
    down: { words: 'Tile below', strokes: ['ArrowDown'], repeats: true },
    rangeLeft: { words: 'Select to the left', strokes: ['Shift+ArrowLeft'], repeats: true },
    rangeRight: { words: 'Select to the right', strokes: ['Shift+ArrowRight'], repeats: true },
    rangeUp: { words: 'Select upwards', strokes: ['Shift+ArrowUp'], repeats: true },
    rangeDown: { words: 'Select downwards', strokes: ['Shift+ArrowDown'], repeats: true },
    selectAll: { words: 'Select the page', strokes: ['Mod+A'] },
    larger: { words: 'Larger tiles', strokes: ['+'] },
    smaller: { words: 'Smaller tiles', strokes: ['-'] },
    search: { words: 'Find a class by name', strokes: ['/'] },
    zoom: { words: 'Look at this tile', strokes: ['Z'] },
    ...skipping,
    undo: { ...undo, words: 'Undo on the page, then the last page', strokes: ['Backspace', 'Mod+Z'] },
    guideline: looking.guideline,
  },
  canvas: {
    accept: { words: 'Accept this shape and go to the next; or accept the selected ones', strokes: ['A'] },
    acceptAll: { words: 'Accept all shapes above the threshold', strokes: ['Shift+A'] },
    submit: { words: 'Submit the image', strokes: ['Mod+Enter'] },
    remove: { words: 'Delete the selected shapes', strokes: ['X', 'Delete'] },
    removeOrPoint: { words: 'Remove the last point while drawing, else the selected shapes', strokes: ['Backspace'] },
    undo: { ...undo, words: 'Undo', strokes: ['Mod+Z'] },
    redo: { words: 'Redo', strokes: ['Mod+Shift+Z', 'Mod+Y'], repeats: true },
    next: { words: 'Next shape, least sure first', strokes: ['J'], repeats: true },
    previous: { words: 'Previous shape', strokes: ['K'], repeats: true },
    addNext: { words: 'Add the next shape to the selection', strokes: ['Shift+J'], repeats: true },
    addPrevious: { words: 'Add the previous shape to the selection', strokes: ['Shift+K'], repeats: true },
    selectAll: { words: 'Select all shapes', strokes: ['Mod+A'] },
    several: { words: 'Select several: a press or tap adds a shape, or takes it away', strokes: ['M'] },
    select: { words: 'Tool: select', strokes: ['V'] },
    box: { words: 'Tool: box', strokes: ['R'] },
    extreme: { words: 'Tool: four extreme points', strokes: ['E'] },
    polygon: { words: 'Tool: polygon', strokes: ['P'] },
    repeatTool: { words: 'The last drawing tool again', strokes: ['N'] },
    draw: { words: 'Begin, continue or end a shape at the crosshair', strokes: ['Enter'] },
    back: { words: 'Previous image', strokes: ['Mod+ArrowLeft'], repeats: true },
    forward: { words: 'Next image', strokes: ['Mod+ArrowRight'], repeats: true },
    ...nudging,
    copy: { words: 'Copy', strokes: ['Mod+C'] },
    paste: { words: 'Paste', strokes: ['Mod+V'] },
    duplicate: { words: 'Duplicate', strokes: ['Mod+D'] },
    pastePrevious: { words: 'Paste all from the previous image', strokes: ['Mod+Shift+V'] },
    ...showing,
    hideSelected: { words: 'Hide the selected shapes; with none selected, show them again', strokes: ['Shift+H'] },
    cancel: { words: 'Back out one step', strokes: ['Escape'] },
    ...skipping,
    ...commenting,
    ...looking,
  },
  verify: {
    yes: { words: 'Yes: the box is right; or one is missing', strokes: ['Y', 'A'] },
    no: { words: 'No: nothing is there; or none is missing', strokes: ['N', 'X', 'Delete'] },
    move: { words: 'Moved: adjust the box', strokes: ['M', 'E'] },
    confirm: { words: 'Confirm the adjusted box', strokes: ['Enter'] },
    cancel: { words: 'Leave the box where it was', strokes: ['Escape'] },
    undo: { ...undo, words: 'Back to the last question, then to the last image', strokes: ['Backspace', 'Mod+Z'] },
    back: { words: 'Previous image', strokes: ['Mod+ArrowLeft'], repeats: true },
    forward: { words: 'Next image', strokes: ['Mod+ArrowRight'], repeats: true },
    ...nudging,
    ...showing,
    ...skipping,
    ...commenting,
    ...looking,
    zoom: { words: 'The whole image, or back to the box', strokes: ['Z'] },
  },
  review: {
    accept: { words: 'Accept the consensus', strokes: ['A', 'Mod+Enter'] },
    edit: { words: 'Correct it yourself, starting from what is shown', strokes: ['E'] },
    reject: { words: 'No answer is right: leave it unlabelled and give a reason', strokes: ['X', 'Delete'] },
    reason: { words: 'Write a reason', strokes: ['R'] },
    undo: { ...undo, words: 'Undo the last decision', strokes: ['Backspace', 'Mod+Z'] },
    back: { words: 'Previous review', strokes: ['ArrowLeft', 'K'], repeats: true },
    forward: { words: 'Next review; this one stays open', strokes: ['ArrowRight', 'J'], repeats: true },
    consensus: { words: 'Show or hide the consensus', strokes: ['C'] },
    suggestion: { words: 'Show or hide what the model says', strokes: ['M'] },
    hide: { words: 'Hide or show all shapes', strokes: ['H'] },
    names: { words: 'Hide or show the names', strokes: ['L'] },
    ...commenting,
    guideline: looking.guideline,
  },
} as const satisfies Record<string, Record<string, Facts>>

export type Scope = keyof typeof actions
export type ActionOf<S extends Scope> = keyof (typeof actions)[S] & string

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
