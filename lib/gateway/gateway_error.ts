/** What can be wrong with what a gateway is built from? One sentence, with the place. */

/** An endpoint file, an OpenAPI document or an option cannot be used. */
export class GatewayError extends Error {
  /** Names the class in logs. */
  override readonly name = "GatewayError";
  /** JSON pointer to what is wrong, from the root of the file; undefined when it is no place in a file. */
  readonly pointer: string | undefined;

  /**
   * Says what cannot be used.
   *
   * @param message A sentence without its full stop.
   * @param pointer Where, as a JSON pointer.
   */
  constructor(message: string, pointer?: string, options?: ErrorOptions) {
    super(pointer === undefined ? message : `${pointer === "" ? "/" : pointer}: ${message}`, options);
    this.pointer = pointer;
  }
}

/** One operation cannot be served; the others can. */
export class UnservableError extends Error {
  /** Names the class in logs. */
  override readonly name = "UnservableError";
}
