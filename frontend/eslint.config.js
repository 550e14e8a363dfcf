import js from '@eslint/js'
import jsxA11y from 'eslint-plugin-jsx-a11y'
import reactHooks from 'eslint-plugin-react-hooks'
import { defineConfig } from 'eslint/config'
import globals from 'globals'
import { readdirSync } from 'node:fs'
import tseslint from 'typescript-eslint'

const features = readdirSync('src/features')

/** shared -> tasktypes -> features -> app: a feature sees its own folder, tasktypes and shared, never another feature or the app. */
const oneFeatureKnowsNoOther = features.map((feature) => ({
  files: [`src/features/${feature}/**`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: ['**/app/**', ...features.filter((other) => other !== feature).map((other) => `**/${other}/**`)],
            message: 'Features import only src/shared; the app joins them.',
          },
        ],
      },
    ],
  },
}))

export default defineConfig(
  { ignores: ['dist', 'dev', 'public', 'eslint.config.js', 'src/shared/api/schema.d.ts'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  jsxA11y.flatConfigs.strict,
  reactHooks.configs.flat.recommended,
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // Numbers read well in a template, and `void` arrow bodies are how event handlers are written here.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // The router's redirect() and notFound() are thrown by its own contract.
      '@typescript-eslint/only-throw-error': ['error', { allow: [{ from: 'package', package: '@tanstack/router-core', name: 'Redirect' }] }],
    },
  },
  {
    files: ['src/shared/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['**/tasktypes/**', '**/features/**', '**/app/**'], message: 'shared knows no task type, no feature and no app.' }] },
      ],
    },
  },
  {
    files: ['src/tasktypes/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['**/features/**', '**/app/**'], message: 'A task type knows no feature and no app.' }] },
      ],
    },
  },
  ...oneFeatureKnowsNoOther,
)
