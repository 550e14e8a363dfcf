/** Whether images of other kinds are turned into PNG or JPEG on their way in. */
export function Conversion({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className="check">
      <input type="checkbox" checked={on} onChange={({ target }) => onChange(target.checked)} />
      Convert TIFF, BMP, GIF, HEIC and AVIF (the original is kept)
    </label>
  )
}
