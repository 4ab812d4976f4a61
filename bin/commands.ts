import type { Arguments, Flag } from './arguments.ts'

export interface Command {
  words: string
  /** The required argument after `words`, as the usage shows it. */
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
    words: 'serve',
    usage: '[--home DIR] [--port N] [--host H]',
    summary: 'serve the workspace; create it on the first start',
    flags: ['port', 'host'],
    run: async (args) => (await import('./serve.ts')).serve(args),
  },
  {
    words: 'mcp',
    usage: '',
    summary: 'bridge an MCP client to a running server (WORKROOM_URL, WORKROOM_KEY)',
    flags: [],
    run: async () => (await import('./mcp.ts')).bridge(process.env),
  },
  {
    words: 'agent run',
    usage: '[--timeout SECONDS] [--concurrency N] -- PROGRAM [ARGUMENT…]',
    summary: 'run a program for each wake of an agent, and post its output (WORKROOM_URL, WORKROOM_KEY)',
    flags: ['timeout', 'concurrency'],
    takesProgram: true,
    run: async (args) => (await import('./agent-run.ts')).runAgent(args, process.env),
  },
  {
    words: 'init',
    usage: '--home DIR --name ORG --owner NAME [--email E] [--json]',
    summary: 'create a workspace without serving it',
    flags: ['name', 'owner', 'email', 'json'],
    run: async (args) => (await import('./init.ts')).init(args),
  },
  {
    words: 'workspace rename',
    usage: '--name ORG [--json]',
    summary: 'rename the workspace; its slug does not change',
    flags: ['name', 'json'],
    run: async (args) => (await import('./workspace.ts')).renameWorkspace(args),
  },
  {
    words: 'member add',
    usage: '--name N --type human|agent [--role owner|admin|member] [--email E] [--json]',
    summary: 'add a member with a key',
    flags: ['name', 'type', 'role', 'email', 'json'],
    run: async (args) => (await import('./member.ts')).addMember(args),
  },
  {
    words: 'member list',
    usage: '[--json]',
    summary: 'list the members',
    flags: ['json'],
    run: async (args) => (await import('./member.ts')).listMembers(args),
  },
  {
    words: 'member deactivate',
    usage: '--member M [--json]',
    summary: 'deactivate a member and their keys',
    flags: ['member', 'json'],
    run: async (args) => (await import('./member.ts')).setMemberStatus(args, 'deactivated'),
  },
  {
    words: 'member activate',
    usage: '--member M [--json]',
    summary: 'reactivate a member and their keys',
    flags: ['member', 'json'],
    run: async (args) => (await import('./member.ts')).setMemberStatus(args, 'active'),
  },
  {
    words: 'key add',
    usage: '--member M [--scopes a,b] [--json]',
    summary: 'add a key to a member',
    flags: ['member', 'scopes', 'json'],
    run: async (args) => (await import('./key.ts')).addKey(args),
  },
  {
    words: 'key list',
    usage: '--member M [--json]',
    summary: "list a member's keys",
    flags: ['member', 'json'],
    run: async (args) => (await import('./key.ts')).listKeys(args),
  },
  {
    words: 'key revoke',
    usage: '--key ID [--json]',
    summary: 'revoke a key',
    flags: ['key', 'json'],
    run: async (args) => (await import('./key.ts')).revokeKey(args),
  },
  {
    words: 'project add',
    usage: '--name N [--slug S] [--lead M] [--json]',
    summary: 'add a project; its lead is the first owner unless you name another',
    flags: ['name', 'slug', 'lead', 'json'],
    run: async (args) => (await import('./project.ts')).addProject(args),
  },
  {
    words: 'project join',
    usage: '--project S --member M [--role lead|member] [--json]',
    summary: 'add a member to a project',
    flags: ['project', 'member', 'role', 'json'],
    run: async (args) => (await import('./project.ts')).joinProject(args),
  },
  {
    words: 'project list',
    usage: '[--json]',
    summary: 'list the projects',
    flags: ['json'],
    run: async (args) => (await import('./project.ts')).listProjects(args),
  },
  {
    words: 'room join',
    usage: '--room R --member M [--json]',
    summary: 'add a member to an open or closed room',
    flags: ['room', 'member', 'json'],
    run: async (args) => (await import('./room.ts')).joinRoom(args),
  },
  {
    words: 'room list',
    usage: '[--json]',
    summary: 'list the rooms',
    flags: ['json'],
    run: async (args) => (await import('./room.ts')).listRooms(args),
  },
  {
    words: 'webhook set',
    usage: '--member M --url U [--events mention,message.created,reply,comment,assigned] [--json]',
    summary:
      'set where an agent is called and for which events, and print the signing secret; an empty URL removes the webhook',
    flags: ['member', 'url', 'events', 'json'],
    run: async (args) => (await import('./webhook.ts')).setWebhook(args),
  },
  {
    words: 'webhook rotate',
    usage: '--member M [--json]',
    summary: 'print a new signing secret; the old one also signs for a day',
    flags: ['member', 'json'],
    run: async (args) => (await import('./webhook.ts')).rotateSecret(args),
  },
  {
    words: 'webhook deliveries',
    usage: '--member M [--json]',
    summary: 'list the newest 100 deliveries to an agent',
    flags: ['member', 'json'],
    run: async (args) => (await import('./webhook.ts')).listDeliveries(args),
  },
  {
    words: 'webhook redeliver',
    usage: '--member M --delivery ID [--json]',
    summary: 'send a finished delivery again',
    flags: ['member', 'delivery', 'json'],
    run: async (args) => (await import('./webhook.ts')).redeliver(args),
  },
  {
    words: 'invite',
    usage: '[--role owner|admin|member] [--type human|agent] [--uses N] [--json]',
    summary: 'create an invite code, for the page /join and POST /v1/onboard',
    flags: ['role', 'type', 'uses', 'json'],
    run: async (args) => (await import('./invite.ts')).invite(args),
  },
  {
    words: 'invite list',
    usage: '[--json]',
    summary: 'list the open invites',
    flags: ['json'],
    run: async (args) => (await import('./invite.ts')).listInvites(args),
  },
  {
    words: 'invite revoke',
    usage: '--invite ID|CODE [--json]',
    summary: 'revoke an invite',
    flags: ['invite', 'json'],
    run: async (args) => (await import('./invite.ts')).revokeInvite(args),
  },
  {
    words: 'signin',
    usage: '--member M [--json]',
    summary: 'create a link that signs a member in with a browser, once',
    flags: ['member', 'json'],
    run: async (args) => (await import('./signin.ts')).signin(args),
  },
  {
    words: 'doctor',
    usage: '[--json] [--confirm-deletions PROJECT]',
    summary: 'compare the disk with the database',
    flags: ['json', 'confirm-deletions'],
    run: async (args) => (await import('./doctor.ts')).doctor(args),
  },
  {
    words: 'repair',
    usage: '[--json]',
    summary: 'rebuild a broken or lost database, from its newest snapshot and the files',
    flags: ['json'],
    run: async (args) => (await import('./repair.ts')).repair(args),
  },
  {
    words: 'migrate',
    usage: '[--json]',
    summary: "migrate the database to this version's schema, and keep a copy of the old one",
    flags: ['json'],
    run: async (args) => (await import('./migrate.ts')).migrate(args),
  },
  {
    words: 'backup',
    operand: 'DIR',
    usage: '[--json]',
    summary: 'write a backup into a new folder, even while the workspace is served',
    flags: ['json'],
    run: async (args) => (await import('./backup.ts')).backup(args),
  },
  {
    words: 'restore',
    operand: 'DIR',
    usage: '[--json]',
    summary: 'create a workspace from a backup, in a folder that is empty or does not exist',
    flags: ['json'],
    run: async (args) => (await import('./restore.ts')).restore(args),
  },
]

export function usageOf(shown: readonly Command[]): string {
  const lines = shown.map(
    ({ words, operand, usage, summary }) =>
      `  workroom ${[words, operand, usage].filter(Boolean).join(' ')}\n      ${summary}\n`,
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
