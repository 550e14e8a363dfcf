/** What became of a task that the annotator should know, such as a lease that went to somebody else. */
export function Notice({ session, state }: { session: { clearNotice: () => void }; state: { notice: string | null } }) {
  if (state.notice === null) return null
  return (
    <div className="notice" role="alert">
      <span className="grow">{state.notice}</span>
      <button type="button" className="button little" onClick={() => session.clearNotice()}>
        Close
      </button>
    </div>
  )
}
