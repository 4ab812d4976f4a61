import { execFile } from 'node:child_process'
import { existsSync, lstatSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { arch, env, execPath, getuid, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export interface BrowserBinary {
  path: string
  /** What its process needs in its environment, besides what ours has. */
  env: Record<string, string>
}

/** Where one is usually installed. */
const installedPaths = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

export interface BrowserChoice {
  /** In place of all others. */
  named: string | undefined
  /** Brings along the one that is packaged; null where none is for this machine. */
  packaged: (() => Promise<BrowserBinary>) | null
  installedPaths: readonly string[]
  exists(path: string): boolean
  /** Starts it for a moment. @throws when it does not run */
  start(binary: BrowserBinary): Promise<void>
}

/**
 * The Chromium that `npm ci` has brought along, with its libraries and its font: the same on every machine, and no other
 * is asked for. Only where that one does not run, an installed one is taken. `WORKROOM_CHROMIUM` names another.
 * @throws when there is none: a test that needs a browser fails then
 */
export async function chooseBinary(choice: BrowserChoice): Promise<BrowserBinary> {
  const { named, packaged, installedPaths, exists, start } = choice
  if (named) return { path: named, env: {} }
  let reason = `for ${platform} on ${arch} none comes along`
  if (packaged) {
    try {
      const binary = await packaged()
      await start(binary)
      return binary
    } catch (error) {
      reason = `the one that came along does not run: ${(error as Error).message}`
    }
  }
  const path = installedPaths.find(exists)
  if (path !== undefined) return { path, env: {} }
  throw new Error(
    `There is no browser (${reason}). Install Chromium, or name one in WORKROOM_CHROMIUM; looked for ${installedPaths.join(', ')}.`,
  )
}

let chosen: Promise<BrowserBinary> | undefined

/** See `chooseBinary`. Unless one is named, it is chosen once in a process. */
export function browserBinary(): Promise<BrowserBinary> {
  const choose = () =>
    chooseBinary({
      named: env.WORKROOM_CHROMIUM,
      packaged: platform === 'linux' && arch === 'x64' ? unpacked : null,
      installedPaths,
      exists: existsSync,
      async start(binary) {
        await promisify(execFile)(binary.path, ['--version'], {
          env: { ...env, ...binary.env },
          timeout: 20_000,
        })
      },
    })
  if (env.WORKROOM_CHROMIUM) return choose()
  chosen ??= choose()
  return chosen
}

/**
 * Beside the package, where nobody can plant a browser who could not as well change the tests. Whoever is first unpacks it
 * in a folder of its own, which then gets its name: nobody ever sees half of it.
 */
async function unpacked(): Promise<BrowserBinary> {
  const entry = import.meta.resolve('@sparticuz/chromium')
  const root = fileURLToPath(new URL('../..', entry))
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  const cache = join(dirname(dirname(root)), '.cache')
  const folder = join(cache, `workroom-chromium-${version}`)
  if (!existsSync(folder)) {
    await mkdir(cache, { recursive: true })
    await unpack(entry, folder)
  }
  requireOwn(folder)
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  }
}

async function unpack(entry: string, folder: string): Promise<void> {
  const begun = await mkdtemp(`${folder}-`)
  try {
    // The package unpacks into the folder for temporary files, and its libraries only where it takes the machine for Amazon's.
    const script = `(await import(${JSON.stringify(entry)})).default.executablePath()`
    await promisify(execFile)(execPath, ['--input-type=module', '--eval', `await ${script}`], {
      env: { ...env, TMPDIR: begun, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    })
    await writeFile(join(begun, 'fonts.conf'), fontsConf(join(folder, 'fonts-cache')))
    await rename(begun, folder)
  } catch (error) {
    // Another process was faster: its folder is as good as ours.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code!)) throw error
  } finally {
    await rm(begun, { recursive: true, force: true })
  }
}

/** One font for everything, so that pages have the same size everywhere. */
const fontsConf = (cache: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts/fonts</dir>
  <cachedir>${cache}</cachedir>
</fontconfig>
`

/** @throws when others than we could have put something into the folder */
function requireOwn(folder: string): void {
  const { mode, uid } = lstatSync(folder)
  const isFolder = (mode & 0o170000) === 0o040000
  if (isFolder && uid === getuid!() && (mode & 0o077) === 0) return
  throw new Error(`${folder} is not ours alone: remove it, and it is made anew.`)
}
