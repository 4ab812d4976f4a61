import t from 'tap'
import { Signal } from '../../data/signal.ts'

t.test('all listeners are called in the order of their addition', async (t) => {
  const signal = new Signal<number>()
  const heard: string[] = []
  signal.listen((value) => heard.push(`first ${value}`))
  signal.listen((value) => heard.push(`second ${value}`))
  signal.emit(1)
  signal.emit(2)
  t.strictSame(heard, ['first 1', 'second 1', 'first 2', 'second 2'])
})

t.test('a removed listener is not called again, even if it removes itself', async (t) => {
  const signal = new Signal()
  const heard: string[] = []
  const remove = signal.listen(() => {
    heard.push('once')
    remove()
  })
  signal.listen(() => heard.push('always'))
  signal.emit()
  signal.emit()
  remove()
  t.strictSame(heard, ['once', 'always', 'always'])
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
