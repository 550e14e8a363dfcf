import { SelectField } from '../../../shared/ui/fields'

/** Encodings in which systems write the names of archives, by the server's names for them, with the browser's; the page itself can't read those without one. */
export const encodings: Readonly<Record<string, { words: string; browser: string | null }>> = {
  'utf-8': { words: 'UTF-8, surely', browser: 'utf-8' },
  gbk: { words: 'Chinese, simplified (gbk)', browser: 'gbk' },
  big5: { words: 'Chinese, traditional (big5)', browser: 'big5' },
  cp932: { words: 'Japanese (cp932)', browser: 'shift_jis' },
  cp949: { words: 'Korean (cp949)', browser: 'euc-kr' },
  cp866: { words: 'Cyrillic (cp866)', browser: 'ibm866' },
  cp1251: { words: 'Cyrillic, Windows (cp1251)', browser: 'windows-1251' },
  cp1252: { words: 'Western European (cp1252)', browser: 'windows-1252' },
  cp850: { words: 'Western European, DOS (cp850)', browser: null },
  cp437: { words: 'English, DOS (cp437)', browser: null },
}

/** How the names of an archive are read that does not say it: null is UTF-8, and the server refuses what is not. */
export function NamesEncoding({ value, onChange }: { value: string | null; onChange: (value: string | null) => void }) {
  return (
    <SelectField
      name="names_encoding"
      label="Encoding of file names"
      hint="For archives of older programs whose names are not UTF-8."
      value={value ?? ''}
      onChange={(next) => onChange(next === '' ? null : next)}
      options={Object.entries(encodings).map(([name, { words }]) => [name, words] as const)}
    >
      <option value="">as the archive says, else UTF-8</option>
    </SelectField>
  )
}
