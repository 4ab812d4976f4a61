import { platform } from 'node:os'
import t from 'tap'
import { systemThreadId, threadCpuMs } from '../../data/system-thread.ts'

t.test('only the time that a thread runs on a processor counts', async (t) => {
  if (platform() !== 'linux') {
    t.same([systemThreadId(), threadCpuMs(1)], [null, null])
    return
  }
  const thread = systemThreadId()!
  const worked = threadCpuMs(thread)!
  while (threadCpuMs(thread)! < worked + 30);
  const rested = threadCpuMs(thread)!
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
  t.ok(threadCpuMs(thread)! < rested + 30)
  t.equal(threadCpuMs(2 ** 30), null, 'an unknown thread')
})
