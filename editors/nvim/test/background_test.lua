-- Commands that ask, run on in the background or leave processes behind, with
-- the real bridge: what is seen of them, how they are answered and ended.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local processes = require("processes")
local equal, holds = cases.equal, cases.holds

---@param id string
---@param args table
---@return string
local function call(id, args)
  return ("call %s exec_command %s\n"):format(id, vim.json.encode(args))
end

---@param script string
---@param options? table
---@return test.Child
local function turn(script, options)
  local child = child_of.start({
    options = vim.tbl_extend("force", { mode = "allow-all" }, options or {}),
    script = script,
  })
  child:ex("Drawbridge prompt go")
  return child
end

---@param child test.Child
---@param text string
local function status_is(child, text)
  child:wait("the statusline says " .. text, ([[require("drawbridge").statusline() == %q]]):format(text))
end

---@param child test.Child
local function over(child)
  child:wait("the turn is over", [[not require("drawbridge.state").current().turnId]])
  local faults = {}
  for _, item in ipairs(child:lua([[return require("drawbridge.state").current().items]])) do
    table.insert(faults, item.kind == "end" and item.cause or nil)
  end
  equal({}, faults, "what turns failed with")
end

-- A command that runs until the file go is there.
local gated = "until [ -e go ]; do sleep 0.05; done; "

cases.run({
  {
    "a command that asks is answered from the conversation, then in its terminal (C6)",
    function()
      local child = turn(call("c1", {
        cmd = "read -p 'name? ' n; echo hello $n; read -p 'sure? ' y; echo so $y",
      }) .. '----\nwant c1 "hello ada"\nwant c1 "so yes"\ntext "Done."\n')
      child:hears("waits for typing: name?")
      child:sees("a command waits for typing: name?")
      child:ex("Drawbridge type")
      child:wait("it asks for a line", [[vim.api.nvim_get_mode().mode == "c" ]])
      child:keys("ada<CR>")
      child:hears("waits for typing: sure?")
      child:ex("Drawbridge terminals")
      child:sees("hello ada")
      child:sees("waits for typing · i: type into it")
      child:keys("iyes<CR>")
      child:sees("so yes")
      child:keys([[<C-\><C-n>]])
      child:sees("Done.")
      over(child)
    end,
  },
  {
    "what is typed on the line of :Drawbridge type goes to the command; Esc types nothing",
    function()
      local child = turn(call("c1", { cmd = "read -p 'name? ' n; echo hello $n" }) .. '----\nwant c1 "hello ada lovelace"\ntext "Done."\n')
      child:hears("waits for typing")
      child:ex("Drawbridge type")
      child:wait("it asks for a line", [[vim.api.nvim_get_mode().mode == "c" ]])
      child:keys("nobody<Esc>")
      child:ex("Drawbridge type ada lovelace")
      child:sees("Done.")
      over(child)
    end,
  },
  {
    "a password is typed unseen, and kept nowhere",
    function()
      local child = turn(call("c1", { cmd = "read -s -p 'Password: ' p; echo; echo got ${#p}" }) .. '----\nwant c1 "got 7"\ntext "Done."\n')
      child:hears("waits for typing: Password:")
      child:ex("Drawbridge type")
      child:sees("typed unseen")
      child:keys("hunter2")
      child:sees("*******")
      holds(not table.concat(child:screen(), "\n"):find("hunter2", 1, true), "it is not on the screen")
      child:keys("<CR>")
      child:sees("Done.")
      over(child)
      equal("", child:lua([[return vim.fn.histget("input", -1)]]), "the history of what was typed")
    end,
  },
  {
    "an answer to one question does not go to the next",
    function()
      local child = turn(call("c1", { cmd = "read -p 'name? ' n; echo n=$n; read -s -p $(printf 'K%s?' EY) k; echo k=$k" })
        .. '----\nwant c1 "n=ada"\nwant c1 "k=yes"\ntext "Done."\n')
      child:hears("waits for typing: name?")
      child:lua([[vim.ui.input = function(_, cb) answer = cb end]])
      child:ex("Drawbridge type")
      child:wait("it is asked", "answer ~= nil")
      child:ex("Drawbridge terminals")
      child:sees("name?")
      child:keys("iada<CR>")
      child:sees("KEY?")
      child:lua([[vim.schedule(function() answer("for the name") end)]])
      child:hears("not typed: the command says something else by now: KEY?")
      child:keys([[yes<CR><C-\><C-n>]])
      child:sees("Done.")
      over(child)
    end,
  },
  {
    "the end of a background command begins a turn by itself, and both are shown",
    function()
      local child = turn(call("c1", { cmd = gated .. "echo built; exit 3", run_in_background = true }) .. [[
----
want c1 "process_id"
text "It runs."
----
want-user "exit code 3"
want-user "built"
text "I saw it fail."
]])
      child:sees("It runs.")
      over(child)
      child:sees("in the background")
      child:sees(" 1 in the background")
      status_is(child, "drawbridge: 1 in the background")
      vim.fn.writefile({}, child.folder .. "/go")
      child:sees("ended, exit code 3")
      child:sees("I saw it fail.")
      over(child)
      status_is(child, "drawbridge")
      local listed = child:lua([[return require("drawbridge.terminals").list()[1] ]])
      equal({ false, { code = 3 } }, { listed.running, listed.exit })
      local shown = table.concat(child:lines("drawbridge://conversation"), "\n")
      holds(select(2, shown:gsub("❯", "")) <= 1, "nobody prompted the second turn: " .. shown)
    end,
  },
  {
    "what a command left behind is named, listed and ended by :Drawbridge kill",
    function()
      local mark = processes.mark()
      local child = turn(call("c1", { cmd = ("sleep %s & echo up"):format(mark) }) .. '----\nwant c1 "up"\ntext "Left."\n')
      child:sees("Left.")
      over(child)
      local left = processes.sleeps(child, mark)
      child:sees("exit code: 0, 1 still runs")
      local listed = child:lua([[return require("drawbridge.terminals").list()[1] ]])
      equal(1, #listed.survivors)
      holds(listed.survivors[1].name:find("sleep " .. mark, 1, true), vim.inspect(listed))
      status_is(child, "drawbridge: 1 in the background")
      child:ex("Drawbridge kill")
      processes.gone("what was left behind", left)
      child:wait("the list says so", [[not require("drawbridge.terminals").list()[1].running]])
      status_is(child, "drawbridge")
    end,
  },
  {
    "of several commands one is chosen, by how it stands; what runs in another session is there, too",
    function()
      local child = turn(
        call("c1", { cmd = "read -p 'more? ' x", run_in_background = true })
          .. "----\n"
          .. call("c2", { cmd = "sleep 1000", run_in_background = true })
          .. '----\ntext "Asked."\n'
      )
      child:sees("Asked.")
      over(child)
      child:hears("waits for typing: more?")
      child:sees("a command waits for typing: more?")
      child:ex("Drawbridge new")
      child:keys("<Esc>")
      child:wait("another session", [[#require("drawbridge.terminals").list() == 0]])
      status_is(child, "drawbridge: 2 in the background, waits for typing")
      child:lua([[
        vim.ui.select = function(items, opts, cb)
          offered = vim.tbl_map(opts.format_item, items)
          vim.schedule(function() cb(items[#items]) end)
        end
      ]])
      child:ex("Drawbridge kill")
      child:wait("it is gone", [[require("drawbridge.statusline").text() == "drawbridge: 1 in the background"]])
      equal({
        "x2  in the background: sleep 1000  (in go)",
        "x1  waits for typing: read -p 'more? ' x  (in go)",
      }, child:lua("return offered"))
    end,
  },
  {
    "quitting, a killed Neovim and a restart of the bridge leave nothing that ran in the background (C10, C24)",
    function()
      for _, ending in ipairs({ "quit", "kill", "restart" }) do
        local behind, background = processes.mark(), processes.mark()
        local child = turn(
          call("c1", { cmd = ("sleep %s & echo up"):format(behind) })
            .. call("c2", { cmd = ("trap '' HUP TERM; sleep %s; :"):format(background), run_in_background = true })
            .. '----\ntext "Both run."\n'
        )
        child:sees("Both run.")
        local pids = { processes.sleeps(child, behind), processes.sleeps(child, background), processes.bridge_of(child) }
        if ending == "quit" then
          child:ex("qall!")
          equal(0, child:quits(), "how Neovim ended")
        elseif ending == "kill" then
          vim.uv.kill(child.pid, "sigkill")
          child:quits()
        else
          child:ex("Drawbridge restart")
          child:hears("the bridge runs")
          status_is(child, "drawbridge")
        end
        for _, pid in ipairs(pids) do
          processes.gone(ending .. ": what ran", pid)
        end
        if ending == "restart" then
          child:stop()
        end
        child_of.last = nil
      end
    end,
  },
})
