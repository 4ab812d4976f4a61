import t from 'tap'
import { Signal } from '../../data/signal.ts'

t.test('all listeners are called in the order of their addition', async (t) => {
  const signal = new Signal<number>()
  const calls: string[] = []
  signal.listen((value) => calls.push(`first ${value}`))
  signal.listen((value) => calls.push(`second ${value}`))
  signal.emit(1)
  signal.emit(2)
  t.strictSame(calls, ['first 1', 'second 1', 'first 2', 'second 2'])
})

t.test('a removed listener is not called again, even if it removes itself', async (t) => {
  const signal = new Signal()
  const calls: string[] = []
  const remove = signal.listen(() => {
    calls.push('once')
    remove()
  })
  signal.listen(() => calls.push('always'))
  signal.emit()
  signal.emit()
  remove()
  t.strictSame(calls, ['once', 'always', 'always'])
})

t.test('an error thrown by a listener reaches the emitter', async (t) => {
  const signal = new Signal()
  let isReached = false
  signal.listen(() => {
    throw new Error('not now')
  })
  signal.listen(() => {
    isReached = true
  })
  t.throws(() => signal.emit(), /not now/)
  t.notOk(isReached)
})
