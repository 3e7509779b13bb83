type NamedKeys<T> = keyof {
  [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K];
};

/** The named fields of a type that lets unknown fields through, all the way down, so that a typing mistake shows. */
export type Closed<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly (infer Item)[]
      ? Closed<Item>[]
      : T extends object
        ? [NamedKeys<T>] extends [never]
          ? T
          : { [K in NamedKeys<T>]: Closed<T[K]> }
        : T;
