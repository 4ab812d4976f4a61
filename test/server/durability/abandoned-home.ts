import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { openWorkspace, type WorkspaceOptions } from '../../../core/workspace/index.ts'
import { copyHome } from '../../support/copy-home.ts'
import { type HomeState, stateOf } from '../../support/home-state.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom, type Workroom, type WorkroomOptions } from '../../support/workroom.ts'

/** A home as a process that was killed has left it. */
export interface LeftHome {
  /** Absolute path of its folder. */
  home: string
  /** Absolute path of a file in the project `general`. */
  at(path: string): string
  /** Starts on it, and stops again. @returns what it holds then */
  recover(faults?: WorkspaceOptions['faults']): Promise<HomeState>
}

export interface RoomToLeave extends Workroom {
  /** The home as it would be left if the process were killed at this moment. */
  leave(): LeftHome
}

/** A Workroom whose home can be had as it is at any moment, with what was not finished then. */
export async function roomToLeave(t: Test, options: WorkroomOptions = {}): Promise<RoomToLeave> {
  const markdown = sharedMarkdown(t)
  const room = await startWorkroom(t, { ...options, faults: { ...options.faults, markdown } })
  const folder = join(room.home, '..', 'left')
  mkdirSync(folder)
  let count = 0
  const leave = (): LeftHome => {
    const home = join(folder, String(++count))
    copyHome(room.home, home)
    return {
      home,
      at: (path) => join(home, 'projects', 'general', path),
      async recover(faults) {
        const workspace = await openWorkspace({
          home,
          config: defaultConfig,
          clock: room.clock,
          faults: { ...faults, markdown },
        })
        await workspace.close()
        return stateOf(home)
      },
    }
  }
  // Getters of the room, which follow a restart, are kept by copying their descriptors.
  return Object.defineProperties({ leave }, Object.getOwnPropertyDescriptors(room)) as RoomToLeave
}
