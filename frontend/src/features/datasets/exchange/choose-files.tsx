/** Buttons for a folder and for files, for who does not drop them. */
export function ChooseFiles({ onChosen }: { onChosen: (files: FileList) => void }) {
  const take = (list: FileList | null) => list && list.length > 0 && onChosen(list)
  return (
    <div className="row wrap">
      <label className="button">
        Choose a folder
        {/* React's types lack webkitdirectory, which all browsers have. */}
        <input type="file" className="visually-hidden" multiple {...{ webkitdirectory: '' }} onChange={({ target }) => take(target.files)} />
      </label>
      <label className="button">
        Choose files
        <input type="file" className="visually-hidden" multiple onChange={({ target }) => take(target.files)} />
      </label>
    </div>
  )
}
