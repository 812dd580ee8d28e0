/** Which members and items did the other keywords look at? The rest is for `unevaluatedProperties` and `unevaluatedItems`. */

/** So many names are compared one by one; for more, a set is worth its making. */
const FEW = 16;

/** How much was known at a time; to go back to, when what was looked at since then does not count. */
export interface Mark {
  readonly everyMember: boolean;
  readonly firstItems: number;
  readonly members: number;
  readonly items: number;
}

/** What was looked at in one object or array, as a log: the same may be in it several times. */
export class Evaluated {
  #everyMember = false;
  #firstItems = 0;
  readonly #members: string[] = [];
  readonly #items: number[] = [];

  /** Takes note of a member. */
  addMember(name: string): void {
    this.#members.push(name);
  }

  /** Takes note of all members. */
  addEveryMember(): void {
    this.#everyMember = true;
  }

  /** Takes note of an item. */
  addItem(index: number): void {
    this.#items.push(index);
  }

  /** Takes note of the first items; Infinity for all. */
  addItems(length: number): void {
    if (length > this.#firstItems) this.#firstItems = length;
  }

  /** Takes note of what another has. */
  merge(other: Evaluated): void {
    if (other.#everyMember) this.#everyMember = true;
    this.addItems(other.#firstItems);
    for (const name of other.#members) this.#members.push(name);
    for (const index of other.#items) this.#items.push(index);
  }

  /** How much is known now. */
  mark(): Mark {
    return {
      everyMember: this.#everyMember,
      firstItems: this.#firstItems,
      members: this.#members.length,
      items: this.#items.length,
    };
  }

  /** Goes back to how it was. */
  restore({ everyMember, firstItems, members, items }: Mark): void {
    this.#everyMember = everyMember;
    this.#firstItems = firstItems;
    this.#members.length = members;
    this.#items.length = items;
  }

  /** Tells which members were looked at up to now. */
  memberTest(): (name: string) => boolean {
    if (this.#everyMember) return () => true;
    const seen = this.#members;
    if (seen.length <= FEW) return (name) => seen.includes(name);
    const set = new Set(seen);
    return (name) => set.has(name);
  }

  /** Those of so many items that were not looked at. */
  otherItems(length: number): readonly number[] {
    const set = new Set(this.#items);
    const others: number[] = [];
    for (let index = this.#firstItems; index < length; index++) if (!set.has(index)) others.push(index);
    return others;
  }
}
