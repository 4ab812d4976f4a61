/** The rows of a list that is too long to hold: each is made from its item whenever it is read. */
export class LazyRows<Row extends object> implements Iterable<Row> {
  private constructor(
    private readonly items: readonly unknown[],
    private readonly rowOf: (item: unknown) => Row,
  ) {}

  static of<Item, Row extends object>(items: readonly Item[], rowOf: (item: Item) => Row): LazyRows<Row> {
    return new LazyRows<Row>(items, rowOf as (item: unknown) => Row)
  }

  get length(): number {
    return this.items.length
  }

  map<Other extends object>(change: (row: Row) => Other): LazyRows<Other> {
    return new LazyRows<Other>(this.items, (item) => change(this.rowOf(item)))
  }

  *[Symbol.iterator](): Iterator<Row> {
    for (const item of this.items) yield this.rowOf(item)
  }
}

/** The rows of a list of any length. */
export type Rows<Row extends object> = readonly Row[] | LazyRows<Row>
