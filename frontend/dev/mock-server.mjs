// A stand-in for the platform, for looking at the pages while there is no backend: node dev/mock-server.mjs [port].
// Development only; nothing of it is bundled. It serves dist/ with the platform's Content-Security-Policy.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'

const dist = join(import.meta.dirname, '../dist')
const csp = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:"
const classes = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
const now = () => new Date().toISOString()
const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString()
const md5 = (text) => createHash('md5').update(text).digest('hex')

const glyphs = ['01110100011001110101110011000101110', '00100011000010000100001000010001110', '01110100010000100010001000100011111', '11111000100010000010000011000101110', '00010001100101010010111110001000010', '11111100001111000001000011000101110', '00110010001000011110100011000101110', '11111000010001000100010000100001000', '01110100011000101110100011000101110', '01110100011000101111000010001001100']

function image(index) {
  const digit = truth(index)
  const random = mulberry(index + 1)
  const [dx, dy, slant, thick] = [random() * 6 - 3, random() * 4 - 2, random() * 0.5 - 0.25, 1.1 + random() * 0.6]
  const rows = []
  for (let y = 0; y < 28; y++) {
    rows.push(0)
    for (let x = 0; x < 28; x++) {
      const u = (x - 14 - dx + (y - 14) * slant) / 3.2 + 2.5, v = (y - 14 - dy) / 3 + 3.5
      let ink = 0
      for (let r = 0; r < 7; r++) for (let c = 0; c < 5; c++) if (glyphs[digit][r * 5 + c] === '1') ink = Math.max(ink, thick - Math.hypot(u - c - 0.5, v - r - 0.5))
      rows.push(Math.max(0, Math.min(255, Math.round(ink * 330 + random() * 10))))
    }
  }
  return png(28, 28, Buffer.from(rows))
}
function png(width, height, raw) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const out = Buffer.alloc(8)
    out.writeUInt32BE(data.length, 0)
    out.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([out.subarray(0, 4), body, out.subarray(4)])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0); head.writeUInt32BE(height, 4); head[8] = 8
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head), chunk('IDAT', deflateSync(raw)), chunk('IEND', Buffer.alloc(0))])
}
function mulberry(seed) {
  return () => { seed = (seed + 0x6d2b79f5) | 0; let t = Math.imul(seed ^ (seed >>> 15), 1 | seed); t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; return ((t ^ (t >>> 14)) >>> 0) / 4294967296 }
}
const truth = (index) => (index * 7 + (index >> 3)) % 10
const digest = (index) => md5('x').slice(0, 24) + index.toString(16).padStart(8, '0')

const total = 70000
const sample = (index) => {
  const split = index < 60000 ? (index % 600 < 5 ? 'train' : 'pool') : 'test'
  const labelled = split !== 'pool'
  return { id: index + 1, key: `${split === 'test' ? 'test' : 'train'}/${String(index).padStart(5, '0')}.png`, digest: digest(index), split, label: labelled ? { class: classes[truth(index)] } : null, label_source: labelled ? (index % 5 ? 'import' : 'human') : null, width: 28, height: 28, media_type: 'image/png', meta: { source: 'mnist' }, url: `/blobs/${digest(index)}`, thumb: `/thumbs/${digest(index)}` }
}
const all = Array.from({ length: total }, (_, index) => index)
function filtered(query) {
  return all.filter((index) => {
    const it = sample(index)
    return (!query.get('split') || it.split === query.get('split')) && (!query.get('label') || it.label?.class === query.get('label')) && (!query.get('labelled') || String(it.label !== null) === query.get('labelled')) && (!query.get('q') || it.key.includes(query.get('q')))
  })
}
const tally = (items, read) => items.reduce((counts, item) => { const key = read(item); if (key !== null) counts[key] = (counts[key] ?? 0) + 1; return counts }, {})
const everything = all.map(sample)
const counts = { samples: total, labelled: everything.filter((s) => s.label).length, by_split: tally(everything, (s) => s.split), by_class: tally(everything, (s) => s.label?.class ?? null) }
const dataset = { id: 1, name: 'digits', task: 'classification', classes, description: 'MNIST: 60,000 handwritten digits to learn from and 10,000 to test on.', head: 4, counts, created: ago(4000) }

const size = 40
const state = { answers: new Map(), skips: new Set(), committed: null, down: false, others: 0, startedAt: Date.now(), token: 0, signedIn: process.argv[3] !== 'out', expire: false }
const queueCounts = () => { const done = state.answers.size, skipped = state.skips.size; const leased = Math.min(8, size - done - skipped); return { total: size, todo: size - done - skipped - leased, leased, done, skipped } }
const queue = () => { const c = queueCounts(); return { id: 12, name: 'digits-margin round 3', dataset: 'digits', dataset_id: 1, task: 'classification', classes, state: state.committed ? 'committed' : c.todo + c.leased === 0 ? 'complete' : 'open', counts: c, rate_per_hour: 1140, answers_per_task: 1, created: ago(300), committed_version: state.committed } }
const task = (id) => {
  const index = 1000 + id * 37, t = truth(index), wrong = (t + 4) % 10
  const guess = id % 4 === 0 ? wrong : t
  const probabilities = Object.fromEntries(classes.map((name) => [name, 0.012])); probabilities[guess] = 0.52; probabilities[guess === t ? wrong : t] = 0.384
  state.token += 1
  return { id, sample: { id: index, key: sample(index).key, digest: digest(index), width: 28, height: 28, thumb: `/thumbs/${digest(index)}`, meta: {} }, url: `/blobs/${digest(index)}`, suggestion: { class: String(guess), probability: 0.52, probabilities, model: 'digits@3' }, why: { strategy: 'margin', score: 0.136 + id / 500, rank: id, of: 59700, reason: `The model wavers between ${guess} (52 %) and ${guess === t ? wrong : t} (38 %).`, control: id % 10 === 9, neighbours: [3, 13, 23].map((k) => ({ key: sample(index + k).key, thumb: `/thumbs/${digest(index + k)}`, label: { class: String(truth(index + k)) } })) }, lease_until: new Date(Date.now() + 900_000).toISOString(), lease_token: state.token }
}
const pipelines = [
  { id: 1, name: 'digits-margin', dataset: 'digits', model: 'digits', architecture: 'small_cnn', strategy: { name: 'margin', params: {} }, count: 100, control: 0.1, config: {}, state: 'waiting_for_labels', current_round: 3, created: ago(900) },
  { id: 2, name: 'digits-random', dataset: 'digits', model: 'digits-random', architecture: 'small_cnn', strategy: { name: 'random', params: {} }, count: 100, control: 0, config: {}, state: 'running', current_round: 5, created: ago(800) },
]
const round = (number, extra) => ({ number, state: 'done', step_started: ago(20), labels: number * 100, dataset_version: number, model_version: number, run: number, mining_job: number, queue: 10 + number, queue_counts: { total: 100, todo: 0, leased: 0, done: 100, skipped: 0 }, job: null, accuracy: 0.79 + number * 0.03, promoted: true, error: null, timings: { training: 11.2, scoring: 8.4, queueing: 0.6, labelling: 42, committing: 0.4, gating: 1.1 }, images_per_second: { scoring: 7106, training: 2212 }, created: ago(200), finished: ago(100), ...extra })
const rounds = { 1: () => [round(1), round(2, { promoted: false, accuracy: 0.871 }), round(3, { state: 'labelling', queue: 12, queue_counts: queueCounts(), finished: null, promoted: null, dataset_version: 3, timings: { training: 12.9, scoring: 8.1, queueing: 0.7 }, step_started: ago(75) })], 2: () => [1, 2, 3, 4].map((n) => round(n, { accuracy: 0.77 + n * 0.022 })).concat(round(5, { state: 'failed', error: 'scoring: the worker was killed three times', accuracy: null, promoted: null, queue: null, queue_counts: null })) }
const curve = (id) => ({ pipeline: id, points: (id === 1 ? [0.812, 0.894, 0.931, 0.949, 0.958] : [0.812, 0.851, 0.883, 0.902, 0.917]).map((accuracy, i) => ({ round: i, labels: 100 * (i + 1), accuracy, low: accuracy - 0.008, high: accuracy + 0.007, model_version: i + 1, strategy: id === 1 ? 'margin' : 'random' })), lift: null })
const done = () => Math.min(60000, Math.round(((Date.now() - state.startedAt) / 1000) * 900 + 22000))
const jobs = () => [
  { id: 31, kind: 'score', title: 'Score 60,000 samples with digits-random@4', state: done() < 60000 ? 'running' : 'succeeded', progress: { done: done(), total: 60000, rate: 7106.4, eta: (60000 - done()) / 900, unit: 'images' }, error: null, created: ago(40), started: ago(38), finished: done() < 60000 ? null : now() },
  { id: 32, kind: 'train', title: 'Train small_cnn on digits v4', state: 'queued', progress: { done: 0, total: 12, rate: null, eta: null, unit: 'epochs' }, error: null, created: ago(5), started: null, finished: null },
  { id: 30, kind: 'train', title: 'Train small_cnn on digits v3', state: 'succeeded', progress: { done: 12, total: 12, rate: null, eta: null, unit: 'epochs' }, error: null, created: ago(80), started: ago(78), finished: ago(66) },
  { id: 29, kind: 'export', title: 'Export digits@2', state: 'failed', progress: { done: 1, total: 3, rate: null, eta: null, unit: 'steps' }, error: 'parity: logits differ by 0.02 at sample 14', created: ago(90), started: ago(89), finished: ago(87) },
]
const versions = [4, 3, 2, 1].map((v) => ({ version: v, parent: v > 1 ? v - 1 : null, message: v === 1 ? 'MNIST' : `Round ${v - 1}: 100 labels`, author: 'owner', created: ago(1000 - v * 100), added: v === 1 ? total : 0, updated: 0, removed: 0, labelled: 100, counts }))

function answer(request, path, query, body) {
  const post = request.method === 'POST'
  let match
  if (path === '/session') { if (post) { if (body.token !== 'secret') return [401, problem(401, 'bad_token', 'Unknown token.')]; state.signedIn = true; state.expire = false } if (request.method === 'DELETE') { state.signedIn = false; return [204] } return state.signedIn ? [200, { user: { id: 1, username: 'owner', role: 'owner' } }] : [401, problem(401, 'not_authenticated', 'Sign in.')] }
  if (!state.signedIn || state.expire) return [401, problem(401, 'not_authenticated', 'Sign in.')]
  if (path === '/datasets') return [200, { results: [dataset], next: null }]
  if (path === '/datasets/digits' || path === '/datasets/1') return [200, dataset]
  if (/^\/datasets\/[^/]+\/versions$/.test(path)) return [200, { results: versions, next: null }]
  if (/\/facets$/.test(path)) { const items = filtered(query).map(sample); return [200, { total: items.length, split: tally(items, (s) => s.split), label: tally(items, (s) => s.label?.class ?? null), labelled: tally(items, (s) => String(s.label !== null)) }] }
  if (/\/samples$/.test(path)) { const items = filtered(query), offset = Number(query.get('offset') ?? 0), limit = Number(query.get('limit') ?? 100); return [200, { results: items.slice(offset, offset + limit).map(sample), total: items.length, offset, next: null }] }
  if (path === '/jobs') return [200, { results: jobs(), next: null }]
  if ((match = /^\/jobs\/(\d+)$/.exec(path))) { const since = Number(query.get('since') ?? 0); const job = jobs().find((j) => j.id === Number(match[1])); const log = Array.from({ length: 12 }, (_, i) => ({ seq: i + 1, time: ago(40 - i), level: i === 5 ? 'warning' : 'info', message: `shard ${i} claimed by worker-1, 5,000 images` })).filter((l) => l.seq > since); return [200, { ...job, points: [], log, result: null, next: 12 }] }
  if (/\/cancel$/.test(path)) return [202]
  if (path === '/labeling/queues') return [200, { results: [queue(), { ...queue(), id: 11, name: 'digits-margin round 2', state: 'committed', committed_version: 3, counts: { total: 100, todo: 0, leased: 0, done: 100, skipped: 0 } }], next: null }]
  if ((match = /^\/labeling\/queues\/([^/]+)\/(next|commit)$/.exec(path))) {
    if (match[2] === 'commit') { state.committed = 5; return [201, { version: 5, parent: 4, added: 0, updated: 0, removed: 0, labelled: state.answers.size, unchanged: 0, rejected: [] }] }
    const open = Array.from({ length: size }, (_, i) => i + 1).filter((i) => !state.answers.has(i) && !state.skips.has(i)).slice(0, body.count ?? 1)
    return open.length && !state.others ? [200, { tasks: open.map(task) }] : [204, undefined, { 'X-Queue-Leased': String(state.others), 'X-Queue-Next-Frees': state.others ? '228' : '' }]
  }
  if (/^\/labeling\/queues\/[^/]+$/.test(path)) return [200, queue()]
  if ((match = /^\/labeling\/tasks\/(\d+)\/(answer|skip|undo|renew)$/.exec(path))) {
    const id = Number(match[1])
    if (match[2] === 'answer') state.answers.set(id, body.value.class)
    if (match[2] === 'skip') state.skips.add(id)
    if (match[2] === 'undo') { state.answers.delete(id); state.skips.delete(id); return [200, task(id)] }
    if (match[2] === 'renew') return [200, { lease_until: new Date(Date.now() + 900_000).toISOString(), lease_token: ++state.token }]
    return [200, { task: id, state: 'done', answer: null, queue: { counts: queueCounts() } }]
  }
  if (path === '/pipelines') return [200, { results: pipelines, next: null }]
  if ((match = /^\/pipelines\/(\d+)\/(rounds|curve)$/.exec(path))) return post ? [202, { round: 6, url: '/' }] : [200, match[2] === 'rounds' ? { results: rounds[match[1]](), next: null } : curve(Number(match[1]))]
  if (/^\/pipelines\/\d+\/(pause|resume|retry)$/.test(path)) return [202, {}]
  return [404, problem(404, 'not_found', `Nothing is at ${path}.`)]
}
const problem = (status, code, detail) => ({ type: 'about:blank', title: code, status, detail, code })
const types = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.woff2': 'font/woff2' }

const server = createServer(async (request, response) => {
  const { pathname: path, searchParams: query } = new URL(request.url, 'http://mock')
  if (path === '/mock') { for (const [name, value] of query) state[name] = JSON.parse(value); response.end(JSON.stringify({ answers: [...state.answers], skips: [...state.skips] })); return }
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  if (path.startsWith('/static/')) {
    const file = join(dist, path.slice(8))
    if (!existsSync(file)) { response.writeHead(404).end(); return }
    response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file)); return
  }
  if (path.startsWith('/app')) { response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': csp }).end(readFileSync(join(dist, 'index.html'))); return }
  if (state.down) { request.socket.destroy(); return }
  const bytes = /^\/(?:blobs|thumbs)\/[0-9a-f]{24}([0-9a-f]{8})$/.exec(path)
  if (bytes) { response.writeHead(200, { 'Content-Type': 'image/png', 'Cache-Control': 'private, max-age=31536000, immutable' }).end(image(parseInt(bytes[1], 16))); return }
  const body = chunks.length ? JSON.parse(Buffer.concat(chunks).toString() || '{}') : {}
  const [status, document, headers] = answer(request, path, query, body)
  response.writeHead(status, { ...headers, ...(document ? { 'Content-Type': status >= 400 ? 'application/problem+json' : 'application/json' } : {}) })
  response.end(document ? JSON.stringify(document) : undefined)
})
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/app/`))
