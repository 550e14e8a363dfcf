import { Crosshair, Eye, EyeOff, type LucideIcon, Maximize, MousePointer2, Pentagon, Redo2, Square, SquareDashedMousePointer, Type, Undo2 } from 'lucide-react'
import type { MouseEvent } from 'react'

import { KeyCap } from '../../../shared/keys/key-cap'
import { useKeyMap } from '../../../shared/keys/key-store'
import { strokeWords } from '../../../shared/keys/keyboard'
import { type ActionOf, strokesFor } from '../../../shared/keys/keymap'
import { RefusableButton } from '../../../shared/ui/refusable-button'
import { type Adjust, adjustRange } from './adjust'
import type { DocumentState } from './use-editor'

type Act = (action: ActionOf<'canvas'>) => void

const drawing = [
  { action: 'select', name: 'Select', Icon: MousePointer2 },
  { action: 'box', name: 'Box', Icon: Square },
  { action: 'extreme', name: '4 points', Icon: Crosshair },
  { action: 'polygon', name: 'Polygon', Icon: Pentagon },
] as const

interface ToolbarProps {
  state: DocumentState
  adjust: Adjust
  onAdjust: (adjust: Adjust) => void
  onAct: Act
}

export function Toolbar({ state, adjust, onAdjust, onAct }: ToolbarProps) {
  return (
    <div className="canvas-tools" role="group" aria-label="Tools">
      {drawing.map(({ action, name, Icon }) => (
        <ToolButton key={action} action={action} name={name} Icon={Icon} pressed={state.tool === action} onAct={onAct} />
      ))}
      <ToolButton action="several" name="Select several" Icon={SquareDashedMousePointer} bare pressed={state.several} onAct={onAct} />
      <span className="canvas-gap" />
      <ToolButton action="undo" name="Undo" Icon={Undo2} bare onAct={onAct} />
      <ToolButton action="redo" name="Redo" Icon={Redo2} bare refusal={state.canRedo ? null : 'Nothing was undone.'} onAct={onAct} />
      <ToolButton action="zoom" name="Zoom to the shape or fit" Icon={Maximize} bare onAct={onAct} />
      <ToolButton action="names" name="Names" Icon={Type} bare pressed={state.names} onAct={onAct} />
      <ToolButton action="hide" name="Hide shapes" Icon={state.hidden ? EyeOff : Eye} bare pressed={state.hidden} onAct={onAct} />
      <span className="grow" />
      <Slider name="Brightness" value={adjust.brightness} onChange={(brightness) => onAdjust({ ...adjust, brightness })} />
      <Slider name="Contrast" value={adjust.contrast} onChange={(contrast) => onAdjust({ ...adjust, contrast })} />
    </div>
  )
}

interface ToolButtonProps {
  action: ActionOf<'canvas'>
  name: string
  Icon: LucideIcon
  /** Only the picture is shown; the name is for screen readers and the tooltip. */
  bare?: boolean
  pressed?: boolean
  /** Why it can't be pressed now. */
  refusal?: string | null
  onAct: Act
}

function ToolButton({ action, name, Icon, bare = false, pressed, refusal = null, onAct }: ToolButtonProps) {
  const map = useKeyMap()
  const stroke = strokesFor('canvas', action, map)[0]
  return (
    <RefusableButton
      className={`button ${bare ? 'icon' : ''} tool`}
      aria-pressed={pressed}
      refusal={refusal}
      title={stroke === undefined ? name : `${name} (${strokeWords(stroke)})`}
      onClick={(event) => {
        onAct(action)
        backToDrawing(event)
      }}
    >
      <Icon size={15} aria-hidden />
      {bare ? <span className="visually-hidden">{name}</span> : <span className="tool-name">{name}</span>}
      {!bare && <KeyCap scope="canvas" action={action} />}
    </RefusableButton>
  )
}

/** After a click the keys belong to the drawing again; who pressed the button by a key stays on it. */
export function backToDrawing(event: MouseEvent): void {
  if (event.detail > 0) document.querySelector<HTMLElement>('[role="application"]')?.focus({ preventScroll: true })
}

function Slider({ name, value, onChange }: { name: string; value: number; onChange: (value: number) => void }) {
  return (
    <label className="canvas-slider small">
      {name}
      <input
        type="range"
        min={adjustRange.least}
        max={adjustRange.most}
        step={adjustRange.step}
        value={value}
        onChange={(event) => onChange(Number(event.currentTarget.value))}
      />
    </label>
  )
}
