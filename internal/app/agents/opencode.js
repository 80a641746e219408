// Makes background commands of OpenCode jobs of hob, and names the running jobs of the project
// at the start of a session. Without hob, or on an error, it changes nothing.
import { spawnSync } from "node:child_process"

function ask(directory, event) {
  const input = JSON.stringify({ cwd: directory, ...event })
  const answer = spawnSync("hob", ["hook", "opencode"], { cwd: directory, input, timeout: 10000, encoding: "utf8" })
  if (answer.status !== 0 || !answer.stdout) return {}
  return JSON.parse(answer.stdout).hookSpecificOutput ?? {}
}

export const Hob = async ({ directory }) => {
  const running = new Map() // by session, because a changing prompt defeats the model's cache
  return {
    "tool.execute.before": async (input, output) => {
      if (input.tool !== "bash") return
      const event = { hook_event_name: "PreToolUse", tool_name: input.tool, tool_input: output.args }
      Object.assign(output.args, ask(directory, event).updatedInput)
    },
    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID ?? ""
      if (!running.has(session)) running.set(session, ask(directory, { hook_event_name: "SessionStart" }).additionalContext)
      if (running.get(session)) output.system.push(running.get(session))
    },
  }
}
