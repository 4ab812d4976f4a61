import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RcloneContext, RcloneScenario } from './rclone.ts'

/** Names of files that are neither documents nor scratch files. */
const plainNames = [
  '.env',
  '.gitignore',
  '.obsidian/app.json',
  '.obsidian/templates/daily.md',
  '.resource/0123456789abcdef',
  '.git/HEAD',
  '.git/objects/0a/1b2c3d',
  'node_modules/left-pad/README.md',
  'node_modules/left-pad/index.js',
  'draft.tmp',
  'movie.part',
  'setup.crdownload',
  'notes~',
  '#scratch#',
  'Thumbs.db',
  'desktop.ini',
  '.hidden.md',
  'animation.swf',
  'plan.txt',
]

/** Names of scratch files, which are stored for the member who wrote them. */
const scratchNames = ['.DS_Store', '._plan.txt', '~$plan.docx', '.~lock.plan.odt#', '.plan.txt.swp', '4913']

const fill = (folder: string, names: readonly string[]) => {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), `what ${name} says\n`)
  }
}

async function filesAt({ rclone }: RcloneContext, path: string): Promise<string[]> {
  const { code, stdout, stderr } = await rclone('lsf', '-R', '--files-only', path)
  if (code !== 0) throw new Error(`rclone lsf ${path}: ${stderr}`)
  return stdout.split('\n').filter((name) => name !== '')
}

/** Compares the files that rclone lists with the expected ones. */
async function differences(
  context: RcloneContext,
  path: string,
  expected: readonly string[],
): Promise<string[]> {
  const found = new Set(await filesAt(context, path))
  return [
    ...expected.filter((name) => !found.has(name)).map((name) => `${path}/${name} is gone`),
    ...[...found]
      .filter((name) => !expected.includes(name))
      .map((name) => `${path}/${name} is there, and was never written`),
  ]
}

const textAt = async ({ rclone }: RcloneContext, path: string) => (await rclone('cat', path)).stdout

const copied = (folder: string): RcloneScenario => ({
  name: `files copied into ${folder} are there after a restart, whatever their names`,
  async play(context) {
    const names = [...plainNames, ...scratchNames]
    fill(context.folder, names)
    const target = `${context.remote}${folder}/copied`
    const { code, stderr } = await context.rclone('copy', context.folder, target)
    if (code !== 0) return [`copy into ${folder} failed: ${stderr}`]
    await context.restart()
    const broken = await differences(context, target, names)
    const { code: differs, stderr: why } = await context.rclone('check', '--download', context.folder, target)
    return differs === 0 ? broken : [...broken, `check of ${folder}: ${why}`]
  },
})

const bisynced: RcloneScenario = {
  name: 'a bisync after a restart deletes none of the originals',
  async play(context) {
    const local = join(context.folder, 'local')
    const names = [...plainNames, 'guide.md']
    fill(local, names)
    // bisync accepts only a remote that it believes to keep times.
    const target = `${context.remote.replace(/:[^:]*$/, ',vendor=owncloud$&')}documents/bisynced`
    await context.rclone('mkdir', target)
    const bisync = (...more: string[]) =>
      context.rclone('bisync', local, target, '--workdir', join(context.folder, 'work'), ...more)
    const first = await bisync('--resync')
    if (first.code !== 0) return [`bisync --resync failed: ${first.stderr}`]
    await context.restart()
    const second = await bisync('--force')
    if (second.code !== 0) return [`bisync failed: ${second.stderr}`]
    return [
      ...names
        .filter((name) => !existsSync(join(local, name)))
        .map((name) => `bisync deleted the original ${name}`),
      ...(await differences(context, target, names)),
    ]
  },
}

const respelledThere: RcloneScenario = {
  name: 'moveto can change only the case of a name',
  async play(context) {
    const broken: string[] = []
    for (const [zone, from, to] of [
      ['files/respelled', 'plan.txt', 'Plan.txt'],
      ['documents/respelled', 'plan.md', 'PLAN.md'],
    ] as const) {
      fill(join(context.folder, zone), [from])
      const target = `${context.remote}${zone}`
      await context.rclone('copy', join(context.folder, zone), target)
      const { code, stderr } = await context.rclone('moveto', `${target}/${from}`, `${target}/${to}`)
      if (code !== 0) broken.push(`moveto ${zone}/${to} failed: ${stderr}`)
      broken.push(...(await differences(context, target, [to])))
      if ((await textAt(context, `${target}/${to}`)) !== `what ${from} says\n`) {
        broken.push(`${zone}/${to} does not say what ${from} said`)
      }
    }
    return broken
  },
}

const respelledHere: RcloneScenario = {
  name: 'sync keeps a file after a rename that changes only the case of its name',
  async play(context) {
    const names = ['plan.md', 'sheet.csv']
    fill(context.folder, names)
    const target = `${context.remote}documents/cased`
    await context.rclone('sync', context.folder, target)
    for (const name of names) {
      renameSync(join(context.folder, name), join(context.folder, name.toUpperCase()))
    }
    const { code, stderr } = await context.rclone('sync', context.folder, target)
    const broken = code === 0 ? [] : [`sync failed: ${stderr}`]
    broken.push(
      ...(await differences(
        context,
        target,
        names.map((name) => name.toUpperCase()),
      )),
    )
    for (const name of names) {
      const text = await textAt(context, `${target}/${name.toUpperCase()}`)
      if (text !== `what ${name} says\n`) broken.push(`${name.toUpperCase()} does not say what ${name} said`)
    }
    return broken
  },
}

const twins: RcloneScenario = {
  name: 'names that differ only in case are two files',
  async play(context) {
    const names = ['Read.txt', 'read.txt', 'Guide.md', 'guide.md', 'Sub/a.txt', 'sub/a.txt']
    fill(context.folder, names)
    if (readFileSync(join(context.folder, 'Read.txt'), 'utf8') !== 'what Read.txt says\n') return []
    const target = `${context.remote}documents/twins`
    const { code, stderr } = await context.rclone('copy', context.folder, target)
    if (code !== 0) return [`copy failed: ${stderr}`]
    const checked = await context.rclone('check', '--download', context.folder, target)
    return [
      ...(await differences(context, target, names)),
      ...(checked.code === 0 ? [] : [`check: ${checked.stderr}`]),
    ]
  },
}

const deleted: RcloneScenario = {
  name: 'files deleted by a sync can be restored from the trash',
  async play(context) {
    const names = ['picture.png', 'sub/table.csv', '.env']
    fill(context.folder, names)
    const zones = ['files/deleted', 'documents/deleted']
    for (const zone of zones) await context.rclone('copy', context.folder, `${context.remote}${zone}`)
    for (const name of names) rmSync(join(context.folder, name))
    const broken: string[] = []
    for (const zone of zones) {
      const { code, stderr } = await context.rclone('sync', context.folder, `${context.remote}${zone}`)
      if (code !== 0) broken.push(`sync of ${zone} failed: ${stderr}`)
      broken.push(...(await differences(context, `${context.remote}${zone}`, [])))
    }
    await context.restart()
    const project = '/v1/fs/projects/general'
    const { trash } = JSON.parse((await context.request('GET', `${project}/trash`)).text) as {
      trash: { filename: string; path: string }[]
    }
    for (const zone of zones) {
      for (const name of names) {
        const row = trash.find(({ filename }) => filename === `${zone}/${name}`)
        if (!row) broken.push(`${zone}/${name} is not in the trash`)
        else if ((await context.request('POST', row.path)).status !== 201) {
          broken.push(`${zone}/${name} does not come back`)
        }
      }
      broken.push(...(await differences(context, `${context.remote}${zone}`, names)))
    }
    return broken
  },
}

const elsewhere: RcloneScenario = {
  name: 'files that a folder of posts or cards cannot hold are refused and not lost',
  async play(context) {
    const broken: string[] = []
    for (const zone of ['posts', 'board/02-todo']) {
      fill(join(context.folder, zone), ['.env', 'draft.tmp', 'notes~'])
      const { code } = await context.rclone('move', join(context.folder, zone), `${context.remote}${zone}`)
      const remoteNames = new Set(await filesAt(context, `${context.remote}${zone}`))
      if (code === 0 && remoteNames.size === 0)
        broken.push(`a move into ${zone} succeeded, and nothing is there`)
      for (const name of ['.env', 'draft.tmp', 'notes~']) {
        const isLocal = existsSync(join(context.folder, zone, name))
        if (!isLocal && !remoteNames.has(name)) broken.push(`${zone}/${name} is neither here nor there`)
      }
    }
    return broken
  },
}

/** Each scenario lost data once. */
export const scenarios: RcloneScenario[] = [
  copied('files'),
  copied('documents'),
  bisynced,
  respelledThere,
  respelledHere,
  twins,
  deleted,
  elsewhere,
]
