import { withWorkspace } from './administer.ts'
import type { Arguments } from './arguments.ts'

export async function renameWorkspace(args: Arguments): Promise<undefined> {
  const name = args.require('name')
  const workspace = await withWorkspace(args.home, ({ identity }) => identity.setName(name))
  args.print({ workspace }, `The workspace is now named ${workspace.name}.`)
}
