-- What goes wrong around the editor: files that change beside it, names and texts
-- that are spelled in many ways, bridges that hang, are silent or talk nonsense.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local processes = require("processes")
local reviewing = require("reviewing")
local equal, holds = cases.equal, cases.holds
local call = reviewing.call

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")

--- A bridge that says hello and then what it is told to.
local function fake(...)
  return { vim.v.progpath, "--clean", "-l", here .. "/fake.lua", '{"version":1,"serverVersion":"1"}', ... }
end

---@param path string
---@param text string
local function write(path, text)
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
  -- Some file systems count the time coarsely.
  vim.uv.fs_utime(path, os.time() + 5, os.time() + 5)
end

---@param child test.Child
local function never_blocks(child)
  for _ = 1, 30 do
    holds(not child:blocks(), "nothing waits for a key")
    vim.wait(10)
  end
end

--- Waits until the command of a script is asked for, and allows it as the person
--- would, but from outside, so that keys go elsewhere.
---@param child test.Child
local function allow(child)
  child:wait("the command is asked for", [[#require("drawbridge.approvals").pending() == 1]])
  child:lua([[
    local approvals = require("drawbridge.approvals")
    vim.schedule(function() approvals.choose(approvals.pending()[1].approvalId, "allow") end)
  ]])
end

--- A turn that rewrites a.txt and then runs a command.
---@param command string
---@param wants? string
---@return string
local function edit_then(command, wants)
  return reviewing.overwrite(reviewing.three_hunks)
    .. "----\n"
    .. call("c2", "exec_command", { cmd = command })
    .. "----\n"
    .. (wants or "")
    .. 'text "Done."\n'
end

--- A child in which a.txt was edited by the agent and a command waits; the cursor is
--- in another file.
---@param options? table
---@return test.Child
local function edited(options)
  options = options or {}
  local child = reviewing.start(vim.tbl_extend("force", {
    mode = "auto-edit",
    files = { ["a.txt"] = reviewing.nine, ["b.txt"] = "b\n" },
    script = edit_then("cat a.txt"),
    prepare = function(c)
      c:ex("split b.txt")
    end,
  }, options))
  child:wait("a.txt is edited", function()
    return (child:lines("a.txt") or {})[1] == "ONE"
  end)
  return child
end

--- A child in which the bridge has a.txt open and nothing was asked yet.
---@param files table<string, string>
---@param script string
---@return test.Child
local function opened(files, script)
  local child = child_of.start({ files = files, script = script, options = { mode = "allow-all" } })
  child:ex("edit a.txt")
  child:lua([[require("drawbridge.wiring") require("drawbridge.client").start(function() ready = true end)]])
  child:wait("a.txt is told", [[ready and require("drawbridge.client").version_of(vim.uri_from_bufnr(0))]])
  return child
end

local reading = call("c1", "read_file", { file_path = "a.txt" }) .. '----\ntext "Done."\n'

---@param child test.Child
local function ends_well(child)
  local result = child:ended()
  equal("endTurn", result.stopReason, vim.inspect(result))
end

--- The lines that the model was told a.txt has.
---@param child test.Child
---@return string[]
local function read_lines(child)
  child:prompt("go")
  ends_well(child)
  local lines = {}
  for line in child:lua([[return require("drawbridge.state").current().calls.c1.text]]):gmatch("[^\n]+") do
    table.insert(lines, line:match("^ *%d+\t(.*)$"))
  end
  return lines
end

cases.run({
  {
    "a file that changed on the disk is not written over, whatever is typed",
    function()
      local child = edited()
      write(child.folder .. "/a.txt", "from elsewhere\n")
      child:keys("i")
      allow(child)
      child:keys("yes it is")
      child:hears("a.txt was not saved: the file changed on the disk")
      never_blocks(child)
      equal("from elsewhere\n", child:file("a.txt"), "the file")
      child:keys("<Esc>")
      child:wait("the keys came where they were meant to", function()
        return vim.deep_equal(child:lines("b.txt"), { "yes it isb" })
      end)
      equal("ONE", child:lines("a.txt")[1], "the buffer")
      -- The person decides, and then it is saved again.
      child:ex("wincmd j")
      child:ex("write!")
      child:wait("written", function()
        return child:file("a.txt") == reviewing.three_hunks
      end)
    end,
  },
  {
    "so it is with a file that was read before the plugin was loaded",
    function()
      local child = edited({
        before = [[vim.cmd("edit a.txt")]],
        open = false,
      })
      write(child.folder .. "/a.txt", "from elsewhere\n")
      allow(child)
      child:hears("a.txt was not saved: the file changed on the disk")
      equal("from elsewhere\n", child:file("a.txt"), "the file")
    end,
  },
  {
    "a file that cannot be saved says why in a line, and asks nothing",
    function()
      local why = {
        ["vim.bo.readonly = true"] = "E45: 'readonly' option is set (add ! to override)",
        ["vim.bo.readonly = true vim.o.confirm = true"] = "E45: 'readonly' option is set (add ! to override)",
        [ [[vim.api.nvim_create_autocmd("BufWritePre", { buffer = 0, callback = function() error("not today") end })]] ] = "not today",
      }
      for prepare, reason in pairs(why) do
        local child = edited({
          prepare = function(c)
            c:lua(prepare)
            c:ex("split b.txt")
          end,
        })
        allow(child)
        child:hears("a.txt was not saved: ")
        never_blocks(child)
        local said = child:said()
        holds(said:find(reason, 1, true), said)
        holds(not said:find("stack traceback", 1, true) and not said:find("documents.lua", 1, true), said)
        child:stop()
      end
      child_of.last = nil
    end,
  },
  {
    "files with unusual names are edited in the editor",
    function()
      local names = { "it's.txt", "a[1].txt", "b (2).txt", "{c}+d&e=f;g.txt", "$HOME.txt", "ü 日本.txt", "50%.txt", "#1,@.txt" }
      local files, script = {}, ""
      for i, name in ipairs(names) do
        files[name] = "alpha\nbravo\n"
        script = script .. call("c" .. i, "edit_file", { file_path = name, old_string = "bravo", new_string = "BRAVO" }) .. "----\n"
      end
      local child = child_of.start({ files = files, script = script .. 'text "Done."\n', options = { mode = "allow-all" } })
      for _, name in ipairs(names) do
        child:lua([[vim.cmd.edit(vim.fn.fnameescape(...))]], name)
        child:lua([[vim.api.nvim_buf_set_lines(0, 0, 0, false, { "unsaved" })]])
      end
      child:prompt("go")
      ends_well(child)
      for _, name in ipairs(names) do
        equal({ "unsaved", "alpha", "BRAVO" }, child:lines("/" .. name), name)
        equal("alpha\nbravo\n", child:file(name), name .. " on the disk")
      end
    end,
  },
  {
    "a text that was one empty line for a while is the text that the model reads",
    function()
      local ways = {
        { "alpha\nbravo\n", "ggdG", "u", { "alpha", "bravo" } },
        { "alpha\nbravo\n", "ggdG", "ggP", { "alpha", "bravo", "" } },
        { "alpha\nbravo\n", "ggdG", "ione<CR>two<Esc>", { "one", "two" } },
        { "\n\n", ":g/^$/d<CR>", "ione<CR>two<Esc>", { "one", "two" } },
        { "\n", "yyp", "ggdGione<Esc>", { "one" } },
      }
      for _, way in ipairs(ways) do
        local child = opened({ ["a.txt"] = way[1] }, reading)
        child:keys("<Esc>" .. way[2])
        child:wait("it changed", "vim.bo.modified")
        child:keys(way[3])
        child:wait("it has its text", function()
          return vim.deep_equal(child:lines("a.txt"), way[4])
        end)
        child:keys("<Esc>")
        equal(way[4], read_lines(child), way[2] .. way[3])
        child:stop()
      end
      child_of.last = nil
    end,
  },
  {
    "a last line without an end is told as it is written",
    function()
      local child = opened({ ["a.txt"] = "alpha\nbravo" }, edit_then("cat a.txt", 'wantnot c2 "earlier"\nwantnot c2 "not saved"\n'):gsub("ten\\n", "ten"))
      child:prompt("go")
      ends_well(child)
      equal(reviewing.three_hunks, child:file("a.txt"), "the file")
      -- The bridge holds the text with its end: an edit behind it meets the same text.
      local text = child:lua([[
        local client = require("drawbridge.client")
        return { vim.bo.endofline, vim.bo.modified, client.version_of(vim.uri_from_bufnr(0)) > 0 }
      ]])
      equal({ true, false, true }, text)
    end,
  },
  {
    "without 'autoread' a file that a command changed is read anew, and no key is taken for an answer",
    function()
      local child = child_of.start({
        files = { ["a.txt"] = "one\n", ["b.txt"] = "b\n" },
        before = "vim.o.autoread = false",
        script = call("c1", "exec_command", { cmd = "echo changed > a.txt" }) .. '----\ntext "Done."\n',
        options = { mode = "allow-all" },
      })
      child:ex("edit a.txt")
      child:ex("split b.txt")
      child:keys("i")
      child:prompt("go")
      for key in ("look here"):gmatch(".") do
        child:keys(key == " " and "<Space>" or key)
        vim.wait(20)
      end
      child:ended()
      never_blocks(child)
      child:wait("a.txt is read anew", function()
        return vim.deep_equal(child:lines("a.txt"), { "changed" })
      end)
      equal({ "look hereb" }, child:lines("b.txt"))
    end,
  },
  {
    "quitting ends a bridge that was stopped, and its command",
    function()
      local mark = processes.mark()
      local child = child_of.start({
        script = call("c1", "exec_command", { cmd = "exec sleep " .. mark }) .. '----\ntext "Done."\n',
        options = { mode = "allow-all" },
      })
      child:prompt("go")
      local bridge = processes.bridge_of(child)
      local command = processes.sleeps(child, mark)
      vim.uv.kill(bridge, "sigstop")
      child:ex("qall!")
      equal(0, child:quits(), "how Neovim ended")
      processes.gone("the bridge", bridge)
      processes.gone("the command", command)
      child_of.last = nil
    end,
  },
  {
    "quitting ends a bridge that listens to nothing",
    function()
      local child = child_of.start({
        options = { cmd = { "sh", "-c", "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done", "serve" } },
      })
      child:lua([[require("drawbridge.wiring") require("drawbridge.client").start(function() end)]])
      local bridge = child:wait("it runs", function()
        return tonumber(child:file("pid") or "")
      end)
      child:ex("qall!")
      equal(0, child:quits(), "how Neovim ended")
      processes.gone("the bridge", bridge)
      child_of.last = nil
    end,
  },
  {
    "a program that says nothing is given up on, and the prompt is there again",
    function()
      local child = child_of.start({ options = { cmd = { "sh", "-c", "echo $$ > pid; exec sleep 1000", "serve" } } })
      child:lua([[require("drawbridge.client").patience = 300]])
      child:ex("Drawbridge prompt hello there")
      child:hears("the program sh says nothing")
      child:wait("what was said is not lost", function()
        return vim.deep_equal(child:lines("drawbridge://prompt"), { "hello there" })
      end)
      processes.gone("the program", tonumber(child:file("pid")))
      never_blocks(child)
    end,
  },
  {
    "a restart while the bridge is silent serves who waits for it",
    function()
      local bridge = vim.env.DRAWBRIDGE or (vim.fn.fnamemodify(here, ":h:h:h") .. "/bin/drawbridge")
      local child = child_of.start({
        script = 'text "At last.\\n"\n',
        options = { cmd = { "sh", "-c", '[ -e speak ] && exec "$0" "$@"; exec sleep 1000', bridge, "serve" } },
      })
      child:ex("Drawbridge prompt hello there")
      child:wait("it is started", [[require("drawbridge.client").client_id()]])
      write(child.folder .. "/speak", "")
      child:ex("Drawbridge restart")
      child:sees("At last.")
      holds(not child:said():find("stopped", 1, true), child:said())
    end,
  },
  {
    "a program that is no bridge is told in a line",
    function()
      local function says(what)
        return { "sh", "-c", 'read -r line; printf "$0"; exec sleep 1000', what }
      end
      local others = {
        { "cat" },
        { "yes", "hello" },
        says("Content-Length: x\\r\\n\\r\\n"),
        says('Content-Length: 36\\r\\n\\r\\n{"jsonrpc":"2.0","id":1,"result":[]}'),
        says("Content-Length: 1\\r\\n\\r\\n5"),
      }
      for _, cmd in ipairs(others) do
        local child = child_of.start({ options = { cmd = cmd } })
        child:ex("Drawbridge prompt hello there")
        child:hears(("drawbridge: the program %s "):format(cmd[1]))
        child:sees("→ set the option cmd")
        never_blocks(child)
        child:wait("what was said is not lost", function()
          return vim.deep_equal(child:lines("drawbridge://prompt"), { "hello there" })
        end)
        child:stop()
      end
      child_of.last = nil
    end,
  },
  {
    "a bridge that sends nonsense is started again, and says so in a line",
    function()
      for _, nonsense in ipairs({
        "Content-Length: 7\r\n\r\n{bad:x}",
        "Content-Length: 7\r\n\r\n\"hello\"",
        'Content-Length: 22\r\n\r\n{"id":"x","result":{}}',
        "Length: 7\r\n\r\n{bad:x}",
      }) do
        local child = child_of.start({ options = { cmd = fake("!", nonsense) } })
        child:lua([[require("drawbridge.wiring") require("drawbridge.client").start(function() end)]])
        child:hears("is started again")
        never_blocks(child)
        holds(child:said():find("the bridge sent ", 1, true), child:said())
        child:stop()
      end
      child_of.last = nil
    end,
  },
  {
    "a message that makes the plugin fail is a fault that can be reported, and nothing else",
    function()
      local child = child_of.start({ options = { cmd = fake("turn/started", '{"sessionId":5}', "approval/request", "[]") } })
      child:lua([[require("drawbridge.wiring") require("drawbridge.client").start(function() ready = true end)]])
      child:wait("ready", "ready")
      child:lua([[require("drawbridge.inbox").on("turn/started", function() error("boom") end)]])
      never_blocks(child)
      holds(child:lua([[return require("drawbridge.client").is_ready()]]), "the bridge is there")
    end,
  },
  {
    "a key is in no log, whatever is logged",
    function()
      local child = child_of.start({ before = [[vim.lsp.set_log_level("trace")]] })
      child:lua([[
        require("drawbridge.wiring")
        require("drawbridge.keys").set("anthropic", "sk-SECRET-123", function() set = true end)
      ]])
      child:wait("the key is handed over", "set")
      vim.uv.kill(processes.bridge_of(child), "sigkill")
      child:hears("is started again")
      child:wait("the key is handed over again", [[require("drawbridge.client").is_ready()]])
      child:lua([[require("drawbridge.client").request("model/list", nil, function() listed = true end)]])
      child:wait("and answered", "listed")
      local found = vim.fn.systemlist({ "grep", "-rl", "initialize", child.home .. "/state" })
      holds(#found > 0, "other messages are logged")
      equal({}, vim.fn.systemlist({ "grep", "-rl", "SECRET-123", child.home }), "files with the key")
    end,
  },
  {
    "a bridge that was killed comes back though vim.notify fails",
    function()
      local child = child_of.start({ before = [[vim.notify = function() error("no notify today") end]] })
      child:lua([[require("drawbridge.wiring") require("drawbridge.client").start(function() ready = true end)]])
      child:wait("ready", "ready")
      vim.uv.kill(processes.bridge_of(child), "sigkill")
      child:hears("is started again")
      child:wait("it is back", [[require("drawbridge.client").is_ready()]])
      never_blocks(child)
    end,
  },
})
