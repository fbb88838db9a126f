-- Commands and the sandbox: what a question says of it, how a command leaves it,
-- and what is asked before the agent types into a command of its own.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local service_of = require("service")
local equal, holds = cases.equal, cases.holds

---@param id string
---@param args table
---@return string
local function call(id, args)
  return ("call %s exec_command %s\n"):format(id, vim.json.encode(args))
end

-- Whether this machine has a sandbox; one that should have one and has not fails.
---@param child test.Child
---@return boolean
local function has_sandbox(child)
  local command = child:lua([[return require("drawbridge.approvals").pending()[1].command]])
  if command.sandbox or command.escalation then
    return true
  end
  holds(vim.env.CI ~= "true", "there is a sandbox here")
  io.stdout:write("# left out: this machine has no sandbox for commands\n")
  return false
end

---@param child test.Child
local function asked(child)
  child:wait("it is asked", [[#require("drawbridge.approvals").pending() == 1]])
end

-- A vim.ui.select that keeps what it was asked: Neovim 0.10 shows its own where
-- nothing else can be looked at meanwhile.
local keeping = [[
  vim.ui.select = function(items, opts, cb)
    asked = { prompt = opts.prompt, items = items, cb = cb, labels = vim.tbl_map(opts.format_item, items) }
  end
]]

---@param child test.Child
---@param label? string Absent: none.
local function choose(child, label)
  child:lua(
    [[
    local label = ...
    local question = asked
    asked = nil
    local found
    for i, item in ipairs(question.items) do
      found = not found and question.labels[i] == label and item or found
    end
    vim.schedule(function() question.cb(found) end)
  ]],
    label
  )
end

---@param child test.Child
---@return string
local function prompt_of(child)
  child:ex("Drawbridge approvals")
  return child:wait("the choice is shown", "asked and asked.prompt")
end

---@param child test.Child
local function over(child)
  child:wait("the turn is over", [[not require("drawbridge.state").current().turnId]])
  local items = child:lua([[return require("drawbridge.state").current().items]])
  equal("endTurn", items[#items].stopReason, vim.inspect(items[#items]))
end

-- What a command writes beside the workspace, which it may not in the sandbox.
local outside = "../home/out"
local leaves = {
  cmd = "echo out > " .. outside,
  sandbox_permissions = "require_escalated",
  justification = "The note belongs\27[2J beside the workspace.",
}

cases.run({
  {
    "the question says that a command is held; it writes in the workspace and not beside it",
    function()
      local child = child_of.start({
        before = keeping,
        script = call("c1", { cmd = "echo in > in; echo out > " .. outside }) .. '----\ntext "Done."\n',
      })
      child:ex("Drawbridge prompt go")
      asked(child)
      if not has_sandbox(child) then
        return
      end
      local prompt = prompt_of(child)
      holds(prompt:find("(in the sandbox)", 1, true), prompt)
      child:sees("): writes only in the workspace")
      choose(child, "Allow")
      child:sees("Done.")
      over(child)
      equal("in\n", child:file("in"))
      equal(nil, child:file(outside))
    end,
  },
  {
    "a command that asks to leave is asked about in every mode, with the model's reason; a no runs nothing",
    function()
      local child = child_of.start({
        before = keeping,
        options = { mode = "allow-all" },
        script = call("c1", leaves) .. '----\nwant c1 "denied by user"\nwant c1 "stay inside"\ntext "Done."\n',
      })
      child:ex("Drawbridge prompt go")
      asked(child)
      if not has_sandbox(child) then
        return
      end
      local prompt = prompt_of(child)
      holds(prompt:find("(asks to leave the sandbox)", 1, true), prompt)
      child:sees("asks to leave the sandbox: it could do whatever you can")
      child:sees("the model's reason: The note belongs^[[2J beside the workspace.")
      choose(child)
      child:ex("Drawbridge deny a1 stay inside")
      child:sees("Done.")
      over(child)
      equal(nil, child:file(outside))
    end,
  },
  {
    "a yes lets this one command out, and no other",
    function()
      local child = child_of.start({
        before = keeping,
        options = { mode = "allow-all" },
        script = call("c1", leaves)
          .. "----\n"
          .. call("c2", { cmd = "echo again > " .. outside })
          .. '----\ntext "Done."\n',
      })
      child:ex("Drawbridge prompt go")
      asked(child)
      if not has_sandbox(child) then
        return
      end
      prompt_of(child)
      choose(child, "Allow outside the sandbox")
      child:sees("Done.")
      over(child)
      equal("out\n", child:file(outside))
    end,
  },
  {
    "the agent asks before it types into its own command: what exactly, and into which",
    function()
      local asks = "read -p 'name? ' n; echo hello $n; read -p 'bye? ' x"
      local service = service_of.start(function(request)
        local id = request:match("process_id: (proc%-%x+)")
        if request:find("hello ada", 1, true) then
          return "It said hello."
        elseif request:find("denied by user", 1, true) then
          return service_of.call("3", "input_command", { description = "Once more", process_id = id, chars = "bob\n", yield_time_ms = 5000 })
        elseif id then
          return service_of.call("2", "input_command", { description = "Answer", process_id = id, chars = "ada\27[2J\n", yield_time_ms = 5000 })
        end
        return service_of.call("1", "exec_command", { description = "Ask", cmd = asks, run_in_background = true })
      end)
      local child = child_of.start({ before = keeping, options = service.options })
      child:ex("Drawbridge prompt greet ada")
      asked(child)
      child:ex("Drawbridge allow a1")
      child:sees("? Type ")
      asked(child)
      prompt_of(child)
      child:sees([[types exactly "ada^[[2J\n"]])
      child:sees("typed into the running command: " .. asks)
      choose(child)
      child:ex("Drawbridge deny a2")
      child:sees('? Type "bob')
      asked(child)
      prompt_of(child)
      choose(child, "Edit what is typed…")
      child:sees("Type instead: bob")
      child:keys("<C-u>ada<CR>")
      child:sees("It said hello.")
      over(child)
    end,
  },
})
