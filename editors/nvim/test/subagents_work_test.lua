-- Subagents of a real bridge: what one asks, changes and runs, and what is left of it.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local reviewing = require("reviewing")
local equal, holds = cases.equal, cases.holds
local call = reviewing.call

---@param path string
---@param text string
local function write(path, text)
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
end

-- A child whose model starts a subagent that plays a script of its own.
---@param script string What the subagent does.
---@param after string What the model does then.
---@param more? table More arguments of the call.
---@return test.Child
local function start(script, after, more)
  local child = child_of.start({ files = { ["a.txt"] = "one\ntwo\n" } })
  write(child.home .. "/sub.txt", script)
  local args = { description = "Mend a.txt", prompt = "Mend it.", provider = "script", model_id = child.home .. "/sub.txt" }
  write(child.home .. "/script.txt", call("c1", "run_subagent", vim.tbl_extend("force", args, more or {})) .. "----\n" .. after)
  child:ex("edit a.txt")
  child:ex("Drawbridge prompt go")
  return child
end

cases.run({
  {
    "it asks, edits and runs as the agent does, within the call that started it; the turn is taken back with it",
    function()
      local child = start(
        table.concat({
          'text "I look.\\n"\n',
          call("r1", "read_file", { file_path = "a.txt" }),
          "----\n",
          call("e1", "edit_file", { file_path = "a.txt", old_string = "two", new_string = "TWO" }),
          "----\n",
          call("x1", "exec_command", { cmd = "echo it ran" }),
          "----\n",
          'want x1 "it ran"\ntext "It is mended.\\n"\n',
        }),
        'want c1 "It is mended."\ntext "Good.\\n"\n'
      )
      child:stands("  I look.")
      child:stands("Read a.txt  done")
      child:sees("waiting for you")
      -- Its change is reviewed in the file.
      child:wait("a hunk waits", [[require("drawbridge.review").count().hunks == 1]])
      reviewing.read(child)
      child:keys("<C-w>t")
      child:keys("2G")
      child:ex("Drawbridge accept")
      child:wait("it is applied", function()
        return vim.deep_equal({ "one", "TWO" }, child:lines("/a.txt"))
      end)
      child:sees("? echo it ran  waiting for you")
      local id = child:lua([[return require("drawbridge.state").asked()[1].approvalId]])
      child:ex("Drawbridge allow " .. id)
      child:sees("Good.")
      child:stands("  It is mended.")
      child:stands("echo it ran  done")
      child:wait("the turn is over", [[not require("drawbridge.state").current().turnId]])
      equal(1, child:lua([[return #require("drawbridge.terminals").list()]]), "its terminal is known")
      child:ex("Drawbridge changes")
      child:sees("subagent-")
      child:sees("M a.txt")
      child:ex("close")
      child:ex("Drawbridge rewind t1")
      child:sees("restore   a.txt")
      child:ex("Drawbridge accept")
      child:wait("it is as before", function()
        return vim.deep_equal({ "one", "two" }, child:lines("/a.txt"))
      end)
      equal("", child:lua([[return table.concat(require("drawbridge.say").faults, "\n")]]))
    end,
  },
  {
    "one in the background is listed, stopped, and read again after a restart",
    function()
      local child = start('text "Long work.\\n"\nstall\n', 'text "It works by itself.\\n"\n', { run_in_background = true })
      child:sees("It works by itself.")
      child:ex("Drawbridge subagents")
      child:sees("works, in the background")
      child:stands("  Long work.")
      local id = child:lua([[return require("drawbridge.state").current().subagentOrder[1] ]])
      child:ex("Drawbridge kill " .. id)
      child:sees(id .. "  ended")
      child:ex("Drawbridge restart")
      child:hears("the bridge runs")
      child:wait("it is known again", [[#require("drawbridge.state").current().subagentOrder == 1]])
      child:lua([[require("drawbridge.state").reset(require("drawbridge.state").current().subagents[(...)].sessionId)]], id)
      child:ex("Drawbridge subagents " .. id)
      child:sees("❯ Mend it.")
      child:sees("Long work.")
      holds(child:lua([[return vim.api.nvim_buf_get_name(0)]]):find(id, 1, true), "it is shown")
    end,
  },
})
