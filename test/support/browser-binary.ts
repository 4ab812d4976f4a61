import { execFile } from 'node:child_process'
import { existsSync, lstatSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { arch, env, execPath, getuid, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export interface BrowserBinary {
  path: string
  /** Environment variables that its process needs besides ours. */
  env: Record<string, string>
}

const installedPaths = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

export interface BrowserChoice {
  /** A browser to use instead of all others. */
  named: string | undefined
  /** Unpacks the packaged browser; null if there is none for this machine. */
  packaged: (() => Promise<BrowserBinary>) | null
  installedPaths: readonly string[]
  exists(path: string): boolean
  /** @throws if the browser does not run */
  start(binary: BrowserBinary): Promise<void>
}

/** Chooses the Chromium from `npm ci`, or an installed one if that does not run. @throws if there is none */
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

/** Chooses as `chooseBinary`, once in a process unless a browser is named. */
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
          timeout: 120_000,
        })
      },
    })
  if (env.WORKROOM_CHROMIUM) return choose()
  chosen ??= choose()
  return chosen
}

/** Unpacks it beside its package, where nobody else can write. A rename shows it complete or not at all. */
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
  const temporary = await mkdtemp(`${folder}-`)
  try {
    // The package unpacks into TMPDIR, and its libraries only if the environment looks like AWS Lambda.
    const script = `(await import(${JSON.stringify(entry)})).default.executablePath()`
    await promisify(execFile)(execPath, ['--input-type=module', '--eval', `await ${script}`], {
      env: { ...env, TMPDIR: temporary, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    })
    await writeFile(join(temporary, 'fonts.conf'), fontsConf(join(folder, 'fonts-cache')))
    await rename(temporary, folder)
  } catch (error) {
    // Another process was faster; its folder has the same content.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code!)) throw error
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** One font for all text, so that pages have the same size on every machine. */
const fontsConf = (cache: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts/fonts</dir>
  <cachedir>${cache}</cachedir>
</fontconfig>
`

/** @throws if another user may have changed the folder */
function requireOwn(folder: string): void {
  const { mode, uid } = lstatSync(folder)
  const isFolder = (mode & 0o170000) === 0o040000
  if (isFolder && uid === getuid!() && (mode & 0o077) === 0) return
  throw new Error(`${folder} is not ours alone: remove it, and it is made anew.`)
}
