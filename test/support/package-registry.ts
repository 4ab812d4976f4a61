import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname } from 'node:path'
import type { Test } from 'tap'

interface Package {
  name: string
  version: string
}

/** Serves the run-time packages of this checkout to npm, as its registry does. @returns its address */
export async function startPackageRegistry(t: Test): Promise<string> {
  const folders = runTimePackages()
  const server = createServer((request, response) => {
    const [, name = '', index] =
      /^\/([^/]+)(?:\/-\/(\d+)\.tar)?$/.exec(decodeURIComponent(request.url!)) ?? []
    const versions = folders.filter((folder) => manifestOf(folder).name === name)
    if (versions.length === 0) {
      response.writeHead(404).end('{}')
    } else if (index === undefined) {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(describePackage(name, versions, `http://${request.headers.host}`)))
    } else {
      const folder = versions[Number(index)]!
      // What a compilation leaves has hard links to its result, which npm does not unpack.
      const left = ['node_modules', 'obj.target'].flatMap((name) => ['--exclude', name])
      const args = ['-cf', '-', ...left, '-C', dirname(folder), basename(folder)]
      spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.pipe(response)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** The folders in node_modules of what is not needed for development alone. */
function runTimePackages(): string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean }>
  }
  return Object.keys(packages).filter((folder) => folder !== '' && !packages[folder]!.dev)
}

function describePackage(name: string, folders: string[], origin: string) {
  const versions = folders.map((folder, index) => {
    const dist = { tarball: `${origin}/${name}/-/${index}.tar` }
    return { ...manifestOf(folder), dist }
  })
  return {
    name,
    'dist-tags': { latest: versions[0]!.version },
    versions: Object.fromEntries(versions.map((one) => [one.version, one])),
  }
}

function manifestOf(folder: string): Package {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
}
