/** What became of a task that the annotator should know, such as a lease that went to somebody else. */
export function Notice({ desk, state }: { desk: { clearNotice: () => void }; state: { notice: string | null } }) {
  if (state.notice === null) return null
  return (
    <div className="notice" role="alert">
      <span className="grow">{state.notice}</span>
      <button type="button" className="button little" onClick={() => desk.clearNotice()}>
        Close
      </button>
    </div>
  )
}
