import { setImmediate as afterThisTurn } from 'node:timers/promises'
import t from 'tap'
import { watchFolders } from '../../../data/tree/watch-folders.ts'

const watches = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length

t.test('closed at whatever moment, it leaves no watch behind that would keep the process', async (t) => {
  const home = t.testdir({ one: { two: {} } })
  for (let moments = 0; moments < 6; moments++) {
    const watcher = watchFolders(home, { followSymlinks: false })
    const handler = watcher._nodeFsHandler
    const watch = handler._watchWithNodeFs.bind(handler)
    const closed = new Promise<void>((resolve) => {
      handler._watchWithNodeFs = (path, listener) => {
        const closer = watch(path, listener)
        // So many microtasks after the first folder is watched.
        const close = async () => {
          for (let left = moments; left > 0; left--) await null
          await watcher.close()
        }
        void Promise.resolve().then(close).then(resolve)
        return closer
      }
    })
    await closed
    await afterThisTurn()
    t.equal(watches(), 0, `${moments} moments later`)
  }
})
