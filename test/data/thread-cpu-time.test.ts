import { platform } from 'node:os'
import t from 'tap'
import { systemThreadId, threadCpuMs } from '../../data/thread-cpu-time.ts'

t.test('only the time counts in which a thread has a processor', async (t) => {
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
  t.equal(threadCpuMs(2 ** 30), null, 'a thread that is not there')
})
