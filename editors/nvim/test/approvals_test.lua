-- Questions: what is shown, what answers one, and what does not.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

-- A vim.ui.select that keeps what it was asked, for a test to choose later.
local keeping = [[
  asked = {}
  vim.ui.select = function(items, opts, cb)
    local labels = vim.tbl_map(opts.format_item or tostring, items)
    table.insert(asked, { prompt = opts.prompt, labels = labels, cb = cb, items = items })
  end
]]

-- Chooses in the newest kept select, by a part of the label.
local function choose(child, part, which)
  return child:lua(
    [[
    local part, which = ...
    local select = asked[which or #asked]
    for i, label in ipairs(select.labels) do
      if label:find(part, 1, true) then
        vim.schedule(function() select.cb(select.items[i], i) end)
        return label
      end
    end
    error("no choice has " .. part .. ": " .. vim.inspect(select.labels))
  ]],
    part,
    which
  )
end

-- The commands that are asked about, in the order of the list.
local function pending(child)
  return child:lua([[
    return vim.tbl_map(function(q) return q.command.text end, require("drawbridge.approvals").pending())
  ]])
end

-- The id of the question about a command.
local function about(child, command)
  return child:lua([[
    for _, q in ipairs(require("drawbridge.approvals").pending()) do
      if q.command.text == ... then return q.approvalId end
    end
  ]], command)
end

local function waits(child, n)
  child:wait(n .. " questions wait", ("#require('drawbridge.approvals').pending() == %d"):format(n))
end

---@param commands string[]
---@param options? table
local function asking(commands, options)
  local calls = {}
  for i, command in ipairs(commands) do
    calls[i] = ("call c%d exec_command %s"):format(i, vim.json.encode({ cmd = command }))
  end
  options = options or {}
  local child = child_of.start({
    before = options.before == nil and keeping or options.before or nil,
    files = options.files,
    options = options.options,
    script = table.concat(calls, "\n") .. "\n----\n" .. (options.wants or "") .. 'text "Done."\n',
  })
  child:prompt("go")
  waits(child, #commands)
  return child
end

cases.run({
  {
    "of three questions the second is answered: only the second runs (B22, B24)",
    function()
      local child = asking({ "touch one", "touch two", "touch three" })
      child:ex("Drawbridge approvals")
      child:wait("the list is shown", "#asked == 1")
      choose(child, "touch two")
      child:wait("the question is shown", "#asked == 2")
      holds(child:lua("return asked[2].prompt"):find("touch two", 1, true), "the prompt names the command")
      choose(child, "Allow")
      child:wait("it ran", function()
        return child:file("two") ~= nil
      end)
      equal({ "touch one", "touch three" }, pending(child))
      holds(not child:file("one") and not child:file("three"), "no other ran")
      child:ex("Drawbridge deny " .. about(child, "touch three"))
      child:ex("Drawbridge deny " .. about(child, "touch one"))
      child:ended()
      holds(not child:file("one") and not child:file("three"), "what was denied did not run")
    end,
  },
  {
    "the question says the exact command, where it runs and that nothing confines it",
    function()
      local child = asking({ "printf 'a\tb' > x; rm \27[31m./y" }, { options = { preset = "full-access" } })
      child:ex("Drawbridge approvals")
      child:wait("the question is shown", "#asked == 1")
      local prompt = child:lua("return asked[1].prompt")
      holds(prompt:find("printf 'a^Ib' > x; rm ^[[31m./y", 1, true), "the command, control characters named: " .. prompt)
      holds(prompt:find(vim.fs.basename(child.folder), 1, true), "the folder: " .. prompt)
      holds(prompt:find("not confined", 1, true), "not confined: " .. prompt)
      choose(child, "Deny")
      child:ended()
    end,
  },
  {
    "with Neovim's own select: Esc decides nothing, a number answers (B38)",
    function()
      local child = asking({ "touch made" }, { before = false })
      local function choosing(want)
        child:wait("the choice is there or not", function()
          local mode = vim.rpcrequest(child.job, "nvim_get_mode")
          return (mode.blocking or mode.mode == "c") == want
        end)
      end
      child:ex("Drawbridge approvals")
      choosing(true)
      child:keys("<Esc>")
      choosing(false)
      equal(1, #pending(child))
      equal("approval", child:lua([[return require("drawbridge.state").current().state.state]]))
      child:ex("Drawbridge approvals")
      choosing(true)
      child:keys("1<CR>")
      child:ended()
      equal("", child:file("made"))
    end,
  },
  {
    "a question takes no key that is being typed (B21)",
    function()
      local child = asking({ "touch one" }, { before = false, options = { approvals = { auto = true } } })
      child:lua([[require("drawbridge.client").request("session/cancel", {
        sessionId = require("drawbridge.client").session() }, function() end)]])
      child:ended()
      child:lua("ended = nil")
      child:ex("enew")
      child:keys("ione ")
      child:lua([[
        local client = require("drawbridge.client")
        client.request("session/prompt", { sessionId = client.session(), content = { { type = "text", text = "again" } } },
          function(e, r) ended = e or r end)
      ]])
      for _ = 1, 40 do
        child:keys("x<CR>")
        vim.wait(5)
      end
      child:keys("end")
      child:wait("all was typed", function()
        local lines = child:lines()
        return lines[#lines] == "end"
      end)
      equal(41, #child:lines())
      equal("i", vim.rpcrequest(child.job, "nvim_get_mode").mode)
      holds(not child:file("one"), "nothing was allowed")
    end,
  },
  {
    "withdrawn while the choice is open: choosing does nothing and says so (B20)",
    function()
      local child = asking({ "touch made" })
      child:ex("Drawbridge approvals")
      child:wait("the question is shown", "#asked == 1")
      child:ex("Drawbridge stop")
      equal("cancelled", child:ended().stopReason)
      equal({}, pending(child))
      choose(child, "Allow")
      child:hears("no longer stands")
      holds(not child:file("made"), "it did not run")
    end,
  },
  {
    "a select that never calls back, or twice, harms nothing",
    function()
      local child = asking({ "touch one", "touch two" })
      local id = about(child, "touch one")
      child:ex("Drawbridge approvals " .. id)
      child:wait("shown", "#asked == 1")
      child:ex("Drawbridge approvals " .. id)
      child:wait("shown again", "#asked == 2")
      choose(child, "Allow", 2)
      choose(child, "Allow", 1)
      choose(child, "Allow", 1)
      child:wait("it ran", function()
        return child:file("one") ~= nil
      end)
      equal({ "touch two" }, pending(child))
      holds(not child:file("two"), "the other question was not answered by it")
    end,
  },
  {
    "denied with a reason, which the model reads",
    function()
      local child = asking({ "touch made" }, { wants = 'want c1 "use the other folder"\n' })
      child:ex("Drawbridge approvals")
      child:wait("shown", "#asked == 1")
      choose(child, "Deny with a reason")
      child:wait("it asks why", function()
        local mode = vim.rpcrequest(child.job, "nvim_get_mode")
        return mode.blocking or mode.mode == "c"
      end)
      child:keys("use the other folder<CR>")
      equal("endTurn", child:ended().stopReason)
      holds(not child:file("made"), "it did not run")
    end,
  },
  {
    "no reason given by Esc: the question still waits",
    function()
      local child = asking({ "touch made" })
      child:ex("Drawbridge approvals")
      child:wait("shown", "#asked == 1")
      choose(child, "Deny with a reason")
      child:wait("it asks why", function()
        local mode = vim.rpcrequest(child.job, "nvim_get_mode")
        return mode.blocking or mode.mode == "c"
      end)
      child:keys("half a reas<Esc>")
      child:ex("let g:after = 1")
      child:wait("the keys are read", "vim.g.after == 1")
      equal(1, #pending(child))
    end,
  },
  {
    "the command is edited before it runs",
    function()
      local child = asking({ "touch one" })
      child:ex("Drawbridge approvals")
      child:wait("shown", "#asked == 1")
      choose(child, "Edit the command")
      child:wait("it can be edited", function()
        local mode = vim.rpcrequest(child.job, "nvim_get_mode")
        return mode.blocking or mode.mode == "c"
      end)
      child:keys("<BS><BS><BS>two<CR>")
      child:ended()
      holds(child:file("two") and not child:file("one"), "the edited command ran, and only it")
    end,
  },
  {
    "a command of several lines is edited in a buffer; writing it runs nothing",
    function()
      local child = asking({ "touch one\ntouch two\n" })
      child:ex("Drawbridge approvals")
      child:wait("shown", "#asked == 1")
      choose(child, "Edit the command")
      child:wait("the draft is shown", [[vim.api.nvim_buf_get_name(0):find("drawbridge://command/a1", 1, true) ~= nil]])
      child:keys("ggdd")
      child:ex("write")
      child:hears("nothing is accepted yet")
      equal(1, #pending(child))
      -- allow in the draft means the draft, not what was asked first.
      vim.wait(1100)
      child:ex("Drawbridge allow")
      child:ended()
      holds(child:file("two") and not child:file("one"), "the edited command ran, and only it")
    end,
  },
  {
    "allowed for the session, the same is not asked again",
    function()
      local child = asking({ "touch one", "touch one" })
      child:ex("Drawbridge approvals a2")
      child:wait("shown", "#asked == 1")
      local label = choose(child, "for session")
      holds(label:find(": .*touch"), label)
      child:ended()
      equal({}, pending(child))
      holds(child:file("one"), "it ran")
    end,
  },
  {
    "a notifier that fails loses no question (A16)",
    function()
      local child = asking({ "touch made" }, { before = [[vim.notify = function() error("E37: no") end]] .. keeping })
      equal(1, #pending(child))
      child:ex("Drawbridge approvals")
      child:wait("shown", "#asked == 1")
      choose(child, "Allow")
      child:ended()
      equal("", child:file("made"))
    end,
  },
  {
    "the change is shown beside the choice, without taking the cursor",
    function()
      local child = child_of.start({
        before = keeping,
        files = { ["a.txt"] = "one\ntwo\n" },
        script = 'call c1 edit_file {"file_path":"a.txt","old_string":"two","new_string":"TWO"}\n----\ntext "Done."\n',
      })
      child:prompt("go")
      waits(child, 1)
      child:lua("window = vim.api.nvim_get_current_win()")
      child:ex("Drawbridge approvals")
      child:sees("+TWO")
      holds(child:lua("return vim.api.nvim_get_current_win() == window"), "the cursor stays")
      holds(child:lua("return asked[1].prompt"):find("a.txt  +1 −1  1 hunk", 1, true), child:lua("return asked[1].prompt"))
      choose(child, "Allow")
      child:ended()
      child:wait("the preview is gone", function()
        return not table.concat(child:screen(), "\n"):find("+TWO", 1, true)
      end)
      equal("one\nTWO\n", child:file("a.txt"))
    end,
  },
  {
    "an error is no yes: the question is asked once more, then denied (A16)",
    function()
      local child = child_of.start({
        before = [[require("drawbridge.review.changes").propose = function()
          times = (times or 0) + 1
          error("E37: No write since last change")
        end]],
        files = { ["a.txt"] = "one\n" },
        script = 'call c1 edit_file {"file_path":"a.txt","old_string":"one","new_string":"ONE"}\n----\ntext "Done."\n',
      })
      child:prompt("go")
      equal("endTurn", child:ended().stopReason)
      equal(2, child:lua("return times"))
      equal("one\n", child:file("a.txt"))
      child:hears("a question could not be shown")
    end,
  },
  {
    "with approvals.auto the choice opens in the resting conversation, harmless first; nowhere else",
    function()
      local child = child_of.start({
        before = keeping .. "vim.o.updatetime = 50",
        options = { approvals = { auto = true } },
        files = { ["a.txt"] = "one\n" },
        script = 'call c1 exec_command {"cmd":"touch made"}\n----\ntext "Done."\n',
      })
      child:ex("edit a.txt")
      child:prompt("go")
      waits(child, 1)
      child:keys("j")
      vim.wait(300)
      equal(0, child:lua("return #asked"), "not in a file")
      child:ex("Drawbridge open")
      child:keys("<Esc><C-w>k")
      child:wait("it is asked in the conversation", "#asked == 1")
      equal("Decide later", child:lua("return asked[1].labels[1]"))
      choose(child, "Decide later")
      equal(1, #pending(child))
      child:keys("gg")
      vim.wait(300)
      equal(1, child:lua("return #asked"), "it does not insist")
      child:ex("Drawbridge deny")
      child:ended()
      holds(not child:file("made"), "it did not run")
    end,
  },
})
