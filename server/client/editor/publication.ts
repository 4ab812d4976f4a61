import { call } from '../api.ts'
import { openConfirmDialog } from '../dialogs.ts'
import { reasonsOf } from '../unreached.ts'
import type { EditSession } from './edit-session.ts'

/** The question names mentioned members who would not be notified. */
export async function confirmPublication(session: EditSession): Promise<boolean> {
  const unreached = await session.unreached()
  const warning =
    unreached.length === 0 ? '' : ` Some mentioned members will not be notified: ${reasonsOf(unreached)}`
  const question = `Publish it? Everyone in the project can read it, and it cannot be changed afterwards.${warning}`
  return openConfirmDialog(question, 'Publish')
}

/** @returns the page of the post */
export async function publishDraft({ file }: EditSession): Promise<string> {
  const { json } = await call('POST', `${file.details.path}/_publish`)
  return String(json.url)
}
