import { api, take } from '../../shared/api/client'
import { useModel } from '../../shared/api/queries'
import type { Run } from '../../shared/api/types'
import { RunDialog } from '../../shared/training/run-dialog'
import { changesOf, textOf, withoutParams } from '../../shared/training/settings'
import { lostWords } from './inputs'

/** Trains again with what the run was given, changed where the form says so. */
export function CloneDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const { id, model, dataset, version, architecture, seed, needs } = run
  const task = useModel(model)?.task
  return (
    <RunDialog
      title={`Clone run ${id}`}
      model={model}
      task={task}
      first={{ dataset, version: String(version), architecture, seed, needs }}
      config={textOf(run.config)}
      start={(settings) =>
        take(
          api.POST('/runs/{id}/clone', {
            params: { path: { id } },
            body: {
              seed: settings.seed,
              version: settings.version,
              needs: settings.needs,
              ...(settings.architecture === architecture ? {} : { architecture: settings.architecture }),
              config: changesOf(settings.architecture === architecture ? run.config : withoutParams(run.config), settings.config ?? {}),
            },
          }),
        )
      }
      onClose={onClose}
    >
      {lostWords(run) !== null && <p className="message">{lostWords(run)}</p>}
    </RunDialog>
  )
}
