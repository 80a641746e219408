// A client that plays what hob mcp promises about tasks, with the official TypeScript client.
//
// Usage: node play.mjs HOB, in the project's directory. It exits with 0 if everything holds.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  CallToolResultV2Schema, CancelTaskResultV2Schema, CreateTaskResultV2Schema, GetTaskResultV2Schema, UpdateTaskResultV2Schema,
} from '@modelcontextprotocol/ext-tasks/core/v2';

const hob = process.argv[2];
const version = '2026-07-28';
const extension = 'io.modelcontextprotocol/tasks';
const patience = 120_000;

// The client has no schemas of the extension, so it passes results on as they are, and they are checked
// here: that of a completed task, too.
const anything = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
const resultOf = { 'tasks/get': GetTaskResultV2Schema, 'tasks/update': UpdateTaskResultV2Schema, 'tasks/cancel': CancelTaskResultV2Schema };

function checked(method, result) {
  resultOf[method]?.parse({ resultType: 'complete', ...result });
  if (result.status === 'completed' && result.taskId) CallToolResultV2Schema.parse(result.result);
  return result;
}

// connect starts a server. created is called with each task that answers a call: the client
// itself refuses such an answer.
async function connect(capabilities) {
  const transport = new StdioClientTransport({ command: hob, env: { ...process.env, HOB_TEST_ROLE: 'hob mcp' } });
  const client = new Client({ name: 'typescript', version: '1' }, { capabilities, versionNegotiation: { mode: { pin: version } } });
  const tasks = [];
  await client.connect(transport);
  const receive = transport.onmessage;
  transport.onmessage = (message, ...rest) => {
    if (message.result?.resultType === 'task') tasks.push(message.result);
    receive(message, ...rest);
  };
  const ask = async (method, params) => checked(method, await client.request({ method, params }, anything, { timeout: patience }));
  return {
    close: () => client.close(),
    kill: () => process.kill(transport.pid, 'SIGKILL'),
    ask,
    // call checks the result against the output schema that listTools returned.
    call: (params) => client.callTool(params, { timeout: patience }),
    list: () => client.listTools(),
    async start(args) {
      await assert.rejects(ask('tools/call', { name: 'bash', arguments: { background: true, ...args } }), /task/);
      assert.equal(tasks.length, 1, 'a task answers the call');
      return CreateTaskResultV2Schema.parse(tasks.pop());
    },
    // until asks for a task until it is as wanted.
    async until(taskId, wanted, forbidden = () => false) {
      for (const end = Date.now() + patience; ;) {
        const task = await ask('tasks/get', { taskId });
        assert.ok(!forbidden(task), `not ${JSON.stringify(task)}`);
        if (wanted(task)) return task;
        assert.ok(Date.now() < end, `still ${JSON.stringify(task)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}

const over = (task) => task.status !== 'working' && task.status !== 'input_required';
const open = (gate) => writeFileSync(gate, 'go\n');
const capabilities = { elicitation: { form: {} }, extensions: { [extension]: {} } };

function gate(name) {
  execFileSync('mkfifo', [name]);
  return name;
}

let client = await connect(capabilities);

// A task completes with the answer that the call would have had.
{
  const at = gate('first');
  const created = await client.start({ command: `echo begun; read -r x < ${at}; echo over; exit 3` });
  assert.equal(created.status, 'working');
  assert.ok(created.ttlMs > 0 && created.pollIntervalMs > 0 && created.createdAt);
  await client.until(created.taskId, (t) => t.statusMessage === 'begun', over);
  open(at);
  const task = await client.until(created.taskId, over);
  assert.equal(task.status, 'completed');
  assert.equal(task.result.structuredContent.exitCode, 3);
  assert.equal(task.result.structuredContent.output, 'begun\nover\n');
  assert.equal(task.result.content[0].type, 'text');
}

// Results fit the output schemas, also those of calls that fail.
{
  assert.ok((await client.list()).tools.every((tool) => tool.outputSchema.properties.status));
  const result = await client.call({ name: 'bash', arguments: { command: 'echo hi' } });
  assert.equal(result.structuredContent.output, 'hi\n');
  const failed = await client.call({ name: 'process', arguments: { action: 'poll', sessionId: 'nothing-xxxxx' } });
  assert.equal(failed.structuredContent.error.code, 'not_found');
}

// A question is a form. Hidden input never is.
{
  const command = `printf 'Name? '; read -r n; stty -echo; printf 'Password: '; read -r s; stty echo; echo "$n and \${#s}"`;
  const { taskId } = await client.start({ command });
  const asked = await client.until(taskId, (t) => t.status === 'input_required', over);
  const [[key, question]] = Object.entries(asked.inputRequests);
  assert.equal(question.method, 'elicitation/create');
  assert.equal(question.params.message, 'Name?');
  assert.deepEqual(question.params.requestedSchema.required, ['answer']);
  await client.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content: { answer: 'Ann' } } } });
  const hidden = (t) => t.statusMessage?.includes('hidden input');
  const waits = await client.until(taskId, hidden, (t) => t.inputRequests && !t.inputRequests[key] || over(t));
  assert.ok(waits.statusMessage.includes(taskId), waits.statusMessage);
  assert.equal(waits.inputRequests, undefined);
  execFileSync(hob, { env: { ...process.env, HOB_TEST_ROLE: `hob write --enter ${taskId} geheim` } });
  const task = await client.until(taskId, over);
  assert.match(task.result.structuredContent.output, /Ann and 6/);
}

// Canceling a task stops its job; a second time changes nothing.
{
  const { taskId } = await client.start({ command: 'sleep 1000' });
  await client.ask('tasks/cancel', { taskId });
  await client.ask('tasks/cancel', { taskId });
  assert.equal((await client.until(taskId, over)).status, 'cancelled');
}

// Bad requests get the errors of the specification.
{
  await assert.rejects(client.ask('tasks/get', { taskId: 'nothing-xxxxx' }), { code: -32602 });
  const undeclared = await connect({});
  await assert.rejects(undeclared.ask('tasks/get', { taskId: 'nothing-xxxxx' }), (err) => {
    assert.equal(err.code, -32021);
    assert.ok(extension in err.data.requiredCapabilities.extensions);
    return true;
  });
  await undeclared.close();
}

// Another server takes up the task of one that was killed.
{
  const at = gate('second');
  const { taskId } = await client.start({ command: `read -r x < ${at}; echo survived` });
  const lost = client.ask('tools/call', { name: 'process', arguments: { action: 'poll', sessionId: taskId, timeout: 30000 } });
  client.kill();
  await assert.rejects(lost);
  client = await connect(capabilities);
  assert.equal((await client.ask('tasks/get', { taskId })).status, 'working');
  open(at);
  assert.equal((await client.until(taskId, over)).result.structuredContent.output, 'survived\n');
  await client.close();
}
