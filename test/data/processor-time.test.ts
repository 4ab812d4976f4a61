import { platform } from 'node:os'
import t from 'tap'
import { processorMs, systemThreadId } from '../../data/processor-time.ts'

t.test('only the time counts in which a thread has a processor', async (t) => {
  if (platform() !== 'linux') {
    t.same([systemThreadId(), processorMs(1)], [null, null])
    return
  }
  const thread = systemThreadId()!
  const worked = processorMs(thread)!
  while (processorMs(thread)! < worked + 30);
  const rested = processorMs(thread)!
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
  t.ok(processorMs(thread)! < rested + 30)
  t.equal(processorMs(2 ** 30), null, 'a thread that is not there')
})
