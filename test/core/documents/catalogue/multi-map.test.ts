import t from 'tap'
import { MultiMap, ScopedMultiMap } from '../../../../core/documents/catalogue/multi-map.ts'

t.test('a key holds each of its strings once', async (t) => {
  const map = new MultiMap()
  t.same([[...map.get('a')], map.size('a'), map.isEmpty], [[], 0, true])
  map.add('a', 'x')
  map.add('a', 'x')
  t.same([[...map.get('a')], map.size('a')], [['x'], 1])
  map.add('a', 'y')
  map.add('a', 'y')
  t.same([[...map.get('a')], map.size('a')], [['x', 'y'], 2])
  map.remove('a', 'x')
  map.remove('a', 'unknown')
  t.same([[...map.get('a')], map.size('a'), map.isEmpty], [['y'], 1, false])
  map.remove('a', 'y')
  map.remove('b', 'y')
  t.same([[...map.get('a')], map.size('a'), map.isEmpty], [[], 0, true])
})

t.test('equal keys of different scopes are kept apart', async (t) => {
  const map = new ScopedMultiMap()
  map.add('one', 'a', 'x')
  map.add('two', 'a', 'y')
  map.remove('one', 'a', 'y')
  t.same([[...map.get('one', 'a')], [...map.get('two', 'a')], [...map.get('three', 'a')]], [['x'], ['y'], []])
  map.remove('one', 'a', 'x')
  t.same([[...map.get('one', 'a')], [...map.get('two', 'a')]], [[], ['y']])
})
