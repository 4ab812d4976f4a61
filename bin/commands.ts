import type { Arguments, Flag } from './arguments.ts'

export interface Command {
  name: string
  /** The required argument after `name`, as the usage shows it. */
  operand?: string
  /** The flags, as the usage shows them. */
  usage: string
  summary: string
  /** The flags besides `--home`. */
  flags: readonly Flag[]
  /** Whether it takes a program after `--`. */
  takesProgram?: true
  run(args: Arguments): Promise<number | undefined>
}

/** Each command imports its code only when it runs, so that `key list` does not load the web server. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    usage: '[--home DIR] [--port N] [--host H]',
    summary: 'serve the workspace; create it on the first start',
    flags: ['port', 'host'],
    run: async (args) => (await import('./serve.ts')).serve(args),
  },
  {
    name: 'mcp',
    usage: '',
    summary: 'bridge an MCP client to a running server (WORKROOM_URL, WORKROOM_KEY)',
    flags: [],
    run: async (args) => (await import('./mcp-bridge.ts')).bridge(args.context.env),
  },
  {
    name: 'agent run',
    usage: '[--timeout SECONDS] [--concurrency N] -- PROGRAM [ARGUMENT…]',
    summary: 'run a program for each wake of an agent, and post its output (WORKROOM_URL, WORKROOM_KEY)',
    flags: ['timeout', 'concurrency'],
    takesProgram: true,
    run: async (args) => (await import('./agent-run.ts')).runAgent(args, args.context.env),
  },
  {
    name: 'init',
    usage: '--home DIR --name ORG --owner NAME [--email E] [--json]',
    summary: 'create a workspace without serving it',
    flags: ['name', 'owner', 'email', 'json'],
    run: async (args) => (await import('./workspace.ts')).init(args),
  },
  {
    name: 'workspace rename',
    usage: '--name ORG [--json]',
    summary: 'rename the workspace; its slug does not change',
    flags: ['name', 'json'],
    run: async (args) => (await import('./workspace.ts')).renameWorkspace(args),
  },
  {
    name: 'member add',
    usage: '--name N --type human|agent [--role owner|admin|member] [--email E] [--json]',
    summary: 'add a member with a key',
    flags: ['name', 'type', 'role', 'email', 'json'],
    run: async (args) => (await import('./member.ts')).addMember(args),
  },
  {
    name: 'member list',
    usage: '[--json]',
    summary: 'list the members',
    flags: ['json'],
    run: async (args) => (await import('./member.ts')).listMembers(args),
  },
  {
    name: 'member deactivate',
    usage: '--member M [--json]',
    summary: 'deactivate a member and their keys',
    flags: ['member', 'json'],
    run: async (args) => (await import('./member.ts')).setMemberStatus(args, 'deactivated'),
  },
  {
    name: 'member activate',
    usage: '--member M [--json]',
    summary: 'reactivate a member and their keys',
    flags: ['member', 'json'],
    run: async (args) => (await import('./member.ts')).setMemberStatus(args, 'active'),
  },
  {
    name: 'key add',
    usage: '--member M [--scopes a,b] [--json]',
    summary: 'add a key to a member',
    flags: ['member', 'scopes', 'json'],
    run: async (args) => (await import('./key.ts')).addKey(args),
  },
  {
    name: 'key list',
    usage: '--member M [--json]',
    summary: "list a member's keys",
    flags: ['member', 'json'],
    run: async (args) => (await import('./key.ts')).listKeys(args),
  },
  {
    name: 'key revoke',
    usage: '--key ID [--json]',
    summary: 'revoke a key',
    flags: ['key', 'json'],
    run: async (args) => (await import('./key.ts')).revokeKey(args),
  },
  {
    name: 'project add',
    usage: '--name N [--slug S] [--lead M] [--json]',
    summary: 'add a project; its lead is the first owner unless you name another',
    flags: ['name', 'slug', 'lead', 'json'],
    run: async (args) => (await import('./project.ts')).addProject(args),
  },
  {
    name: 'project join',
    usage: '--project S --member M [--role lead|member] [--json]',
    summary: 'add a member to a project',
    flags: ['project', 'member', 'role', 'json'],
    run: async (args) => (await import('./project.ts')).joinProject(args),
  },
  {
    name: 'project list',
    usage: '[--json]',
    summary: 'list the projects',
    flags: ['json'],
    run: async (args) => (await import('./project.ts')).listProjects(args),
  },
  {
    name: 'room join',
    usage: '--room R --member M [--json]',
    summary: 'add a member to an open or closed room',
    flags: ['room', 'member', 'json'],
    run: async (args) => (await import('./room.ts')).joinRoom(args),
  },
  {
    name: 'room list',
    usage: '[--json]',
    summary: 'list the rooms',
    flags: ['json'],
    run: async (args) => (await import('./room.ts')).listRooms(args),
  },
  {
    name: 'webhook set',
    usage: '--member M --url U [--events mention,message.created,reply,comment,assigned] [--json]',
    summary:
      "set the URL and the events of an agent's webhook, and print the signing secret; an empty URL removes the webhook",
    flags: ['member', 'url', 'events', 'json'],
    run: async (args) => (await import('./webhook.ts')).setWebhook(args),
  },
  {
    name: 'webhook rotate',
    usage: '--member M [--json]',
    summary: 'print a new signing secret; the old one also signs for a day',
    flags: ['member', 'json'],
    run: async (args) => (await import('./webhook.ts')).rotateSecret(args),
  },
  {
    name: 'webhook deliveries',
    usage: '--member M [--json]',
    summary: 'list the newest 100 deliveries to an agent',
    flags: ['member', 'json'],
    run: async (args) => (await import('./webhook.ts')).listDeliveries(args),
  },
  {
    name: 'webhook redeliver',
    usage: '--member M --delivery ID [--json]',
    summary: 'send a finished delivery again',
    flags: ['member', 'delivery', 'json'],
    run: async (args) => (await import('./webhook.ts')).redeliver(args),
  },
  {
    name: 'invite',
    usage: '[--role owner|admin|member] [--type human|agent] [--uses N] [--json]',
    summary: 'create an invite code, for the page /join and POST /v1/onboard',
    flags: ['role', 'type', 'uses', 'json'],
    run: async (args) => (await import('./invite.ts')).invite(args),
  },
  {
    name: 'invite list',
    usage: '[--json]',
    summary: 'list the open invites',
    flags: ['json'],
    run: async (args) => (await import('./invite.ts')).listInvites(args),
  },
  {
    name: 'invite revoke',
    usage: '--invite ID|CODE [--json]',
    summary: 'revoke an invite',
    flags: ['invite', 'json'],
    run: async (args) => (await import('./invite.ts')).revokeInvite(args),
  },
  {
    name: 'signin',
    usage: '--member M [--json]',
    summary: 'create a one-time sign-in link for a member, to open in a browser',
    flags: ['member', 'json'],
    run: async (args) => (await import('./signin.ts')).signin(args),
  },
  {
    name: 'doctor',
    usage: '[--json] [--confirm-deletions PROJECT]',
    summary: 'compare the disk with the database',
    flags: ['json', 'confirm-deletions'],
    run: async (args) => (await import('./doctor.ts')).doctor(args),
  },
  {
    name: 'repair',
    usage: '[--json]',
    summary: 'rebuild a broken or lost database, from its newest snapshot and the files',
    flags: ['json'],
    run: async (args) => (await import('./repair.ts')).repair(args),
  },
  {
    name: 'migrate',
    usage: '[--json]',
    summary: "migrate the database to this version's schema, and keep a copy of the old one",
    flags: ['json'],
    run: async (args) => (await import('./migrate.ts')).migrate(args),
  },
  {
    name: 'backup',
    operand: 'DIR',
    usage: '[--json]',
    summary: 'write a backup into a new folder, even while the workspace is served',
    flags: ['json'],
    run: async (args) => (await import('./backup.ts')).backup(args),
  },
  {
    name: 'restore',
    operand: 'DIR',
    usage: '[--json]',
    summary: 'create a workspace from a backup, in a folder that is empty or does not exist',
    flags: ['json'],
    run: async (args) => (await import('./backup.ts')).restore(args),
  },
]

export function usageOf(listed: readonly Command[]): string {
  const lines = listed.map(
    ({ name, operand, usage, summary }) =>
      `  workroom ${[name, operand, usage].filter(Boolean).join(' ')}\n      ${summary}\n`,
  )
  return [
    'Usage:',
    ...lines,
    'Every command takes --home DIR, by default $WORKROOM_HOME or ./workspace.',
    '--member, --lead, --project and --room take an id, a slug or an exact name.',
    'workroom help shows every command, workroom --version the version.',
    '',
  ].join('\n')
}
