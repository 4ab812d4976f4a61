import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { openWorkspace, type WorkspaceOptions } from '../../../core/workspace/index.ts'
import { copyHome } from '../../support/copy-home.ts'
import { type HomeState, stateOf } from '../../support/home-state.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom, type Workroom, type WorkroomOptions } from '../../support/workroom.ts'

/** A home as a killed process leaves it. */
export interface CrashedHome {
  /** Absolute path of its folder. */
  home: string
  /** Absolute path of a file in the project `general`. */
  at(path: string): string
  /** Opens a workspace on it and closes it again. @returns what the home holds then */
  recover(faults?: WorkspaceOptions['faults']): Promise<HomeState>
}

export interface CrashableWorkroom extends Workroom {
  /** Copies the home as it would be left if the process were killed at this moment. */
  copyAsCrashed(): CrashedHome
}

/** Starts a Workroom whose home can be copied at any moment, unfinished writes included. */
export async function startCrashableWorkroom(
  t: Test,
  options: WorkroomOptions = {},
): Promise<CrashableWorkroom> {
  const markdown = sharedMarkdown(t)
  const workroom = await startWorkroom(t, { ...options, faults: { ...options.faults, markdown } })
  const folder = join(workroom.home, '..', 'left')
  mkdirSync(folder)
  let count = 0
  const copyAsCrashed = (): CrashedHome => {
    const home = join(folder, String(++count))
    copyHome(workroom.home, home)
    return {
      home,
      at: (path) => join(home, 'projects', 'general', path),
      async recover(faults) {
        const workspace = await openWorkspace({
          home,
          config: defaultConfig,
          clock: workroom.clock,
          faults: { ...faults, markdown },
        })
        await workspace.close()
        return stateOf(home)
      },
    }
  }
  // Copying the descriptors keeps the workroom's getters, which follow a restart.
  return Object.defineProperties(
    { copyAsCrashed },
    Object.getOwnPropertyDescriptors(workroom),
  ) as CrashableWorkroom
}
