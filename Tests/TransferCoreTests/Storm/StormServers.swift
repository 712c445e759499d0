import Model
import Simulation
import TransferCore

/// What a part file holds.
struct StormPart {
    var version: Int
    var length: Int64
    /// Bytes of two versions.
    var isMixed = false
}

/// A thing on a server, and how well the server behaves.
struct StormServer {
    var length: Int64
    var version = 1
    let hasRanges: Bool
    let hasTag: Bool
    let wantsCredential: Bool
    /// 404, for ever.
    let isGone: Bool
    let isResumable: Bool
    /// It never changes, and always tells the truth of itself.
    var isHonest: Bool { hasTag || !hasRanges }
    /// Of an upload: how much it has.
    var uploaded: Int64 = 0
    var isComplete = false

    init(_ dice: inout SplitMix64) {
        length = Int64(dice.below(20)) * 700
        hasRanges = !dice.oneIn(4)
        hasTag = !dice.oneIn(5)
        wantsCredential = dice.oneIn(6)
        isGone = dice.oneIn(12)
        isResumable = dice.oneIn(2)
    }
}

struct StormAttempt {
    enum Stage: Equatable { case asked, receiving, ended }

    var url: String
    var file: TransferFile
    var kind: TransferKind
    var offset: Int64 = 0
    var validator: Validator?
    var hasCredential: Bool
    var step = UploadOrder.Step.whole
    var stage = Stage.asked
    /// What the body holds from where on: the version, its end, and how far it has come.
    var version = 0
    var end: Int64 = 0
    var written: Int64 = 0
    var durable: Int64 = 0
    var isAnswer = false
    var sent: Int64 = 0
}

extension StormWorld {
    mutating func networkStep() {
        guard let id = dice.pick(attempts.keys.sorted { $0.transfer < $1.transfer }), let attempt = attempts[id] else {
            return
        }
        if !isCalm, dice.oneIn(25) { return lose(id) }
        if !isCalm, dice.oneIn(80) {
            attempts[id] = nil
            return post(.fileFailed(id, dice.pick(FileFailure.allCases) ?? .diskFull))
        }
        switch attempt.stage {
        case .asked: attempt.kind == .download ? answer(id, attempt) : answerUpload(id, attempt)
        case .receiving: receive(id)
        case .ended: break
        }
    }

    private mutating func lose(_ id: AttemptID) {
        attempts[id] = nil
        let passing = NetworkFailure.allCases.filter(\.isPassing)
        post(.failed(id, dice.pick(passing) ?? .connectionLost))
    }

    /// A status that has nothing to do with the thing; `nil`: the server answers the request.
    private mutating func excuse(_ attempt: StormAttempt) -> (ResponseHead, ChallengeSpace?)? {
        guard let server = servers[attempt.url] else { return nil }
        if server.wantsCredential, !attempt.hasCredential {
            let space = ChallengeSpace(host: "one", port: 443, scheme: "https", realm: "r", method: "basic")
            return (ResponseHead(status: 401, headers: [HeaderField("Content-Length", "0")]), space)
        }
        if !isCalm, dice.oneIn(10) {
            let after = HeaderField("Retry-After", "\(dice.below(100))")
            return (ResponseHead(status: dice.oneIn(2) ? 503 : 429, headers: dice.oneIn(2) ? [after] : []), nil)
        }
        return server.isGone ? (ResponseHead(status: 404, headers: [HeaderField("Content-Length", "30")]), nil) : nil
    }

    private mutating func answer(_ id: AttemptID, _ attempt: StormAttempt) {
        if let (head, challenge) = excuse(attempt) {
            attempts[id]?.isAnswer = true
            attempts[id]?.end = 30
            if head.response.status == 401 { attempts[id]?.end = 0 }
            return post(.responseHead(id, head, challenge: challenge))
        }
        if !isCalm, dice.oneIn(15) { servers[attempt.url]?.version += 1 }
        guard let server = servers[attempt.url] else { return }
        attempts[id]?.version = server.version
        attempts[id]?.end = server.length
        let tag = "\"v\(server.version)\""
        var headers = server.hasTag ? [HeaderField("ETag", tag)] : []
        let isCurrent = attempt.validator == .etag(tag)
        if attempt.offset > 0, server.hasRanges, isCurrent {
            if attempt.offset >= server.length {
                headers.append(HeaderField("Content-Range", "bytes */\(server.length)"))
                return post(.responseHead(id, ResponseHead(status: 416, headers: headers), challenge: nil))
            }
            let range = "bytes \(attempt.offset)-\(server.length - 1)/\(server.length)"
            headers.append(HeaderField("Content-Range", range))
            return post(.responseHead(id, ResponseHead(status: 206, headers: headers), challenge: nil))
        }
        headers.append(HeaderField("Content-Length", "\(server.length)"))
        post(.responseHead(id, ResponseHead(status: 200, headers: headers), challenge: nil))
    }

    private mutating func receive(_ id: AttemptID) {
        guard var attempt = attempts[id] else { return }
        if attempt.written >= attempt.end {
            attempts[id]?.stage = .ended
            return post(.responseEnded(id, offset: attempt.written, digest: .unknown))
        }
        let step = min(attempt.end - attempt.written, Int64(dice.below(600) + 1))
        attempt.written += step
        if !attempt.isAnswer { fetched[id.transfer, default: 0] += step }
        var part = parts[attempt.file] ?? StormPart(version: attempt.version, length: 0)
        if part.length > 0, part.version != attempt.version { part.isMixed = true }
        part.version = attempt.version
        part.length = attempt.written
        parts[attempt.file] = part
        let isDue = attempt.written - attempt.durable >= Self.chunk
        if isDue { attempt.durable = attempt.written }
        attempts[id] = attempt
        post(.received(id, total: attempt.written))
        if isDue, attempts[id] != nil { post(.durable(id, offset: attempt.written)) }
    }

    // Uploads.

    private mutating func answerUpload(_ id: AttemptID, _ attempt: StormAttempt) {
        guard let server = servers[attempt.url] else { return }
        if case .ask = attempt.step { return answerQuestion(id, server) }
        if attempt.sent == 0, let (head, challenge) = excuse(attempt) {
            attempts[id]?.isAnswer = true
            attempts[id]?.end = head.response.status == 401 ? 0 : 30
            return post(.responseHead(id, head, challenge: challenge))
        }
        if case .append(_, let offset) = attempt.step, offset != server.uploaded {
            return post(.responseHead(id, ResponseHead(status: 409), challenge: nil))
        }
        if case .whole = attempt.step, attempt.sent == 0 {
            servers[attempt.url]?.uploaded = 0
            if server.isResumable {
                attempts[id]?.sent = 1
                post(.uploadResumable(id, resource: "https://one.example.org/resource"))
                if attempts[id] == nil { return }
            }
        }
        let there = servers[attempt.url]?.uploaded ?? 0
        let step = min(server.length - there, Int64(dice.below(1500) + 1))
        servers[attempt.url]?.uploaded += step
        attempts[id]?.sent += step
        if there + step < server.length { return post(.sent(id, total: there + step)) }
        servers[attempt.url]?.isComplete = true
        attempts[id]?.end = 10
        attempts[id]?.isAnswer = true
        // The answer may be lost when all has arrived.
        if !isCalm, dice.oneIn(4) { return lose(id) }
        let headers = [HeaderField("Content-Length", "10"), HeaderField("Upload-Complete", "?1")]
        post(.responseHead(id, ResponseHead(status: 200, headers: headers), challenge: nil))
    }

    private mutating func answerQuestion(_ id: AttemptID, _ server: StormServer) {
        let headers = [
            HeaderField("Upload-Offset", "\(server.uploaded)"),
            HeaderField("Upload-Complete", server.isComplete ? "?1" : "?0"),
        ]
        post(.responseHead(id, ResponseHead(status: 204, headers: headers), challenge: nil))
    }

    /// Does one thing that the Core asks for.
    mutating func perform(_ effect: TransferEffect) {
        switch effect {
        case .store, .erase: break
        case .startDownload(let id, let order): startDownload(id, order)
        case .startUpload(let id, let order):
            if !bodies.contains(order.body.file) { fail("the body of an upload is gone") }
            attempts[id] = StormAttempt(
                url: order.request.url, file: order.file, kind: .upload, hasCredential: order.credential != nil,
                step: order.step)
        case .receiveBody(let id, let at): receiveBody(id, at)
        case .stop(let id): attempts[id] = nil
        case .remove(.body(let number)): bodies.remove(.body(number))
        case .remove(let file): parts[file] = nil
        case .moveToClient(let id, let file, let app): moves.append((id, file, app))
        case .moveToTarget: fail("nobody has a target here")
        case .removeFromClient(let id, let app):
            for place in clients.indices where clients[place].app == app { clients[place].temporary[id] = nil }
        case .reply(let id, let reply): answered(id, reply, nil)
        case .refuse(let id, let refusal): answered(id, nil, refusal)
        case .deliver(let connection, let event): deliver(connection, event)
        case .progress(let connection, let note): checkProgress(connection, note)
        case .announce(let session, let app, _, _, let number): announce(session, app, number)
        case .waiting, .changed: break
        case .yields(let ids, let limit):
            if ids.contains(where: { id in !attempts.keys.contains { $0.transfer == id } }) {
                fail("what does not run gives way")
            }
            if limit.map({ $0 <= 0 }) ?? false { fail("a limit at which nothing moves") }
        }
    }

    private mutating func startDownload(_ id: AttemptID, _ order: DownloadOrder) {
        if attempts.keys.contains(where: { $0.transfer == id.transfer }) { fail("two tries at a time") }
        if order.offset > 0, order.validator == nil { fail("a part is asked for without a validator") }
        if (parts[order.file]?.length ?? 0) < order.offset { fail("more is asked to be kept than there is") }
        parts[order.file]?.length = order.offset
        if order.offset == 0 { parts[order.file] = nil }
        tries[id.transfer, default: 0] += 1
        addresses[id.transfer] = order.request.url
        attempts[id] = StormAttempt(
            url: order.request.url, file: order.file, kind: .download, offset: order.offset,
            validator: order.validator, hasCredential: order.credential != nil)
    }

    private mutating func receiveBody(_ id: AttemptID, _ at: Int64) {
        guard attempts[id] != nil else { return fail("a body of no try") }
        if at == 0 {
            parts[attempts[id]?.file ?? .part(0)] = nil
        } else {
            parts[attempts[id]?.file ?? .part(0)]?.length = at
        }
        attempts[id]?.stage = .receiving
        attempts[id]?.written = at
        attempts[id]?.durable = at
    }

    private mutating func checkProgress(_ connection: ConnectionID, _ note: ProgressNote) {
        guard let client = clients.first(where: { $0.connection == connection }) else {
            return fail("progress for a connection that is gone")
        }
        if hasSystem, client.presence == .suspended { fail("progress for a suspended app") }
        if let working = client.working, working.task == note.task { fail("progress while an event is unanswered") }
        if note.bytes <= 0 || note.total < note.bytes { fail("progress that is none") }
    }

    private mutating func announce(_ session: SessionID, _ app: AppIdentifier, _ number: UInt64) {
        guard hasSystem else { return fail("an announcement to nobody") }
        if clients.contains(where: { $0.app == app && $0.presence == .foreground }) {
            fail("an app in the foreground is woken")
        }
        announcements.append((session, app, number))
    }
}
