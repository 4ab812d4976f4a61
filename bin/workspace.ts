import { createWorkspace } from '../core/workspace/setup.ts'
import { withWorkspace } from './administer.ts'
import type { Arguments } from './arguments.ts'
import { isPrivateHome } from './config.ts'
import { memberSummary } from './member.ts'

export async function init(args: Arguments): Promise<undefined> {
  const name = args.require('name')
  const owner = args.require('owner')
  const email = args.text('email') ?? ''
  const { workspace, member, key } = await createWorkspace({
    home: args.home,
    name,
    owner,
    email,
    isPrivate: isPrivateHome(args.home, args.context.env),
  })
  const { id, slug } = workspace
  args.print(
    { workspace: { id, name: workspace.name, slug }, member: memberSummary(member), key },
    [
      `The workspace ${workspace.name} is in ${args.home}. ${member.name} owns it, with this key:`,
      '',
      `  ${key}`,
      '',
      'Store it; it is not shown again. Serve the workspace with:',
      '',
      `  workroom serve --home ${args.home}`,
    ].join('\n'),
  )
}

export async function renameWorkspace(args: Arguments): Promise<undefined> {
  const name = args.require('name')
  const workspace = await withWorkspace(args.home, ({ identity }) => identity.setName(name))
  args.print({ workspace }, `The workspace is now named ${workspace.name}.`)
}
