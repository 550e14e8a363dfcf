/** A dataset's label schema, as `GET /datasets/{id}/schema` gives it and queues repeat it. */

export interface ClassExample {
  /** Of the sample that shows the class well. */
  key: string
  digest: string
  thumb: string
  note: string
}

export interface SchemaClass {
  name: string
  /** `1`..`9`, `0`, `shift+1`..`shift+0`; null for none, as past the twentieth class. */
  key: string | null
  colour: string
  /** Which dash pattern its outlines have, 0..3; 0 is solid. */
  dash: number
  guideline: string
  examples: ClassExample[]
  archived: boolean
}

export interface SchemaChange {
  version: number
  created: string
  author: string | null
  message: string
}

/** What somebody who labels has to know. */
export interface Guidelines {
  classes: SchemaClass[]
  guideline: string
}

export interface LabelSchema extends Guidelines {
  version: number
  multi_label: boolean
  history: SchemaChange[]
}
