internal import FoundationEssentials
internal import Model
internal import TransferCore
internal import TransferWire
internal import Wire

// The Core's words and those of the wire, both ways.

extension Model.Span {
    init(wire seconds: Double) { self = .seconds(min(max(seconds.isFinite ? seconds : 1e9, 0), 1e9)) }
}

extension WallTime {
    init(wire seconds: Double) {
        self.init(nanoseconds: Int64(min(max(seconds.isFinite ? seconds : 0, 0), 9e9) * 1e9))
    }

    var wire: Double { Double(nanoseconds) / 1e9 }
}

extension TransferConfiguration {
    init(wire settings: TransferSettings) {
        self.init()
        isDiscretionary = settings.discretionary
        sendsLaunchEvents = settings.sendsLaunchEvents
        allowsCellular = settings.allowsCellular
        allowsExpensive = settings.allowsExpensive
        allowsConstrained = settings.allowsConstrained
        requestTimeout = Model.Span(wire: settings.requestTimeout)
        resourceTimeout = Model.Span(wire: settings.resourceTimeout)
        headers = settings.headers.map { HeaderField($0.name, $0.value) }
        connectionsPerHost = Int32(clamping: settings.connectionsPerHost)
        cookies = Cookies(rawValue: settings.cookies.rawValue) ?? .always
        cachePolicy = Int32(clamping: settings.cachePolicy)
        serviceType = settings.serviceType.flatMap { NetworkServiceType(rawValue: $0.rawValue) }
        proxy = settings.proxy.map {
            Proxy(
                kind: $0.kind == .http ? .http : .socks, host: $0.host, port: Int32(clamping: $0.port), user: $0.user,
                password: $0.password)
        }
        tlsMinimum = settings.tlsMinimum
        trustRoots = settings.trustRoots
        asksBeforeDelayedRequests = settings.delayedRequests
    }
}

extension TransferRequest {
    init(wire info: TransferRequestInfo) {
        self.init(
            url: info.url, method: info.method, headers: info.headers.map { HeaderField($0.name, $0.value) },
            body: info.body ?? [], timeout: info.timeout.map { Model.Span(wire: $0) },
            allowsCellular: info.allowsCellular, cachePolicy: Int32(clamping: info.cachePolicy),
            serviceType: info.serviceType.flatMap { NetworkServiceType(rawValue: $0.rawValue) })
    }
}

extension DelayedDecision {
    /// What cannot be read of an answer is no reason to hold anything up.
    init(wire result: JSONValue) {
        guard let answer = try? TransferDelayedAnswer(json: result) else {
            self = .continueLoading
            return
        }
        switch answer.disposition {
        case .continueLoading: self = .continueLoading
        case .cancel: self = .cancel
        case .useNewRequest:
            self = .useNewRequest(answer.request.map { TransferRequest(wire: $0) } ?? TransferRequest(url: ""))
        }
    }
}

extension TransferCreation {
    init(wire parameters: TransferCreate, body: UploadBody?) throws(RPCError) {
        self.init(
            number: parameters.task, kind: parameters.kind == .upload ? .upload : .download,
            request: TransferRequest(wire: parameters.request), description: parameters.description,
            priority: Self.priority(parameters.priority),
            earliestBegin: parameters.earliestBegin.map { WallTime(wire: $0) },
            expectsToSend: parameters.expectsToSend, expectsToReceive: parameters.expectsToReceive, body: body)
        if let data = parameters.resumeData {
            guard let words = try? JSONDecoder().decode(ResumeData.self, from: Data(data)) else {
                throw .invalidParameter("resumeData", "these resume data are not of this service")
            }
            resumes = words
        }
    }

    /// Between 0 and 1 there, in thousandths here.
    static func priority(_ value: Double) -> Int32 { Int32(min(max(value.isFinite ? value : 0.5, 0), 1) * 1000) }
}

extension ResumeData {
    var wire: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }
}

extension TransferChange {
    init(wire parameters: TransferChangeParameters) {
        self.init(
            description: parameters.description, priority: parameters.priority.map(TransferCreation.priority),
            earliestBegin: parameters.earliestBegin.map { WallTime(wire: $0) },
            expectsToSend: parameters.expectsToSend, expectsToReceive: parameters.expectsToReceive)
    }
}

extension ChallengeAnswer {
    init(wire parameters: TransferCredentialParameters) throws(RPCError) {
        switch parameters.disposition {
        case .useCredential:
            guard let user = parameters.user, let password = parameters.password else {
                throw .invalidParameter("user", "a credential has a user and a password")
            }
            self = .useCredential(TransferCredential(user: user, password: password))
        case .performDefaultHandling: self = .performDefaultHandling
        case .cancelAuthenticationChallenge: self = .cancelAuthenticationChallenge
        case .rejectProtectionSpace: self = .rejectProtectionSpace
        }
    }
}

extension TransferConditions {
    init(wire info: ServiceConditions) {
        let network: NetworkKind =
            switch info.network {
            case .none: .none
            case .wifi: .wifi
            case .cellular: .cellular
            case .wired: .wired
            }
        self.init(
            network: network, isMetered: info.metered, isConstrained: info.constrained,
            hasExternalPower: info.externalPower,
            battery: info.battery.map { Int32($0.isFinite ? min(max($0, 0), 1) * 1000 : 1000) },
            isRadioWarm: info.radioWarm, isAppOnScreen: info.appOnScreen, isLowPower: info.lowPower)
    }
}

// MARK: Out

extension TransferResponseInfo {
    init(_ response: TransferResponse) {
        self.init(
            url: response.url, status: Int64(response.status),
            headers: response.headers.map { WireHeader($0.name, $0.value) }, httpVersion: response.httpVersion)
    }
}

extension TransferErrorInfo {
    init(_ error: TransferError, resumeData: ResumeData?) {
        self.init(
            domain: "NSURLErrorDomain", code: Int64(error.code), description: error.description,
            resumeData: resumeData?.wire, reason: error.reason.map { Int64($0.rawValue) })
    }
}

extension TransferTaskInfo {
    init(_ view: TaskView) {
        let record = view.record
        let state: TransferTaskState =
            switch view.state {
            case .suspended: .suspended
            case .running: .running
            case .canceling: .canceling
            case .completed: .completed
            }
        self.init(
            task: record.number, kind: record.kind == .upload ? .upload : .download, url: record.request.url,
            method: record.request.method, headers: record.request.headers.map { WireHeader($0.name, $0.value) },
            cachePolicy: Int64(record.request.cachePolicy), description: record.description, state: state,
            received: view.received, sent: view.sent,
            expectedReceive: record.expected ?? record.expectsToReceive,
            expectedSend: record.body?.length ?? record.expectsToSend,
            earliestBegin: record.earliestBegin?.wire, priority: Double(record.priority) / 1000,
            response: record.response.map(TransferResponseInfo.init),
            error: record.outcome.flatMap { outcome in
                outcome.error.map { TransferErrorInfo($0, resumeData: outcome.resumeData) }
            })
    }
}

extension TransferRequestInfo {
    init(_ request: TransferRequest) {
        self.init(
            url: request.url, method: request.method, headers: request.headers.map { WireHeader($0.name, $0.value) },
            timeout: request.timeout?.seconds, allowsCellular: request.allowsCellular,
            cachePolicy: Int64(request.cachePolicy), body: request.body.isEmpty ? nil : request.body)
    }
}

extension TransferEventInfo {
    init(_ delivery: EventDelivery) {
        let kind: Kind =
            switch delivery.kind {
            case .resumedAt(let offset, let expected): .resumedAt(offset: offset, expected: expected)
            case .finished(let path, let response):
                .finished(path: path, response: response.map(TransferResponseInfo.init))
            case .completed(let completed): .completed(TransferCompletion(completed))
            case .challenge(let challenge):
                .challenge(
                    number: Int64(challenge.number), space: TransferChallengeSpace(challenge.space),
                    previousFailures: Int64(challenge.previousFailures))
            case .delayedRequest(let request): .delayedRequest(TransferRequestInfo(request))
            case .finishedEvents: .finishedEvents
            case .invalidated: .invalidated
            }
        self.init(session: delivery.session, number: Int64(delivery.number), task: delivery.task, kind: kind)
    }
}

extension TransferCompletion {
    init(_ completed: CompletedTask) {
        self.init(
            error: completed.error.map { TransferErrorInfo($0, resumeData: completed.resumeData) },
            response: completed.response.map(TransferResponseInfo.init), received: completed.received,
            sent: completed.sent,
            metrics: TransferMetrics(
                created: completed.created.wire, ended: completed.ended.wire, attempts: Int64(completed.attempts)))
    }
}

extension TransferChallengeSpace {
    init(_ space: ChallengeSpace) {
        self.init(
            host: space.host, port: Int64(space.port), scheme: space.scheme, realm: space.realm, method: space.method,
            proxy: space.isProxy)
    }
}

extension TransferProgress {
    init(_ note: ProgressNote) {
        let isUpload = note.kind == .upload
        self.init(
            session: note.session, task: note.task, received: isUpload ? nil : note.total,
            sent: isUpload ? note.total : nil, bytes: note.bytes, expected: note.expected)
    }
}

extension TransferInfo {
    init(_ status: TransferStatus, rate: Double) {
        let record = status.record
        let state: TransferStateName =
            switch status.state {
            case .suspended: .suspended
            case .waiting: .waiting
            case .running: .running
            case .done: .done
            case .failed: .failed
            case .cancelled: .cancelled
            }
        self.init(
            id: "t\(record.id.rawValue)", app: status.app?.rawValue, session: status.session, task: record.number,
            kind: record.kind == .upload ? .upload : .download, url: record.request.url, state: state,
            received: status.received, sent: status.sent, expected: status.expected,
            rate: state == .running ? rate : 0, waitingFor: status.waitingFor?.rawValue, next: status.next?.wire,
            attempts: Int64(record.attempts), error: record.outcome?.error?.description ?? record.lastProblem,
            created: record.created.wire)
    }
}

extension TransferEnd {
    init(_ status: TransferStatus) {
        let info = TransferInfo(status, rate: 0)
        self.init(state: info.state, error: info.state == .done ? nil : info.error)
    }
}

extension TransferReply {
    var json: JSONValue {
        switch self {
        case .done: [:]
        case .opened(_, let nextTask, let page, let isNew):
            TransferOpened(
                nextTask: nextTask, tasks: page.tasks.map(TransferTaskInfo.init), more: page.hasMore, isNew: isNew
            ).json
        case .tasks(let page):
            TransferTaskPage(tasks: page.tasks.map(TransferTaskInfo.init), more: page.hasMore).json
        case .cancelled(let words): TransferCancelled(resumeData: words?.wire).json
        case .added(let id): TransferName(id: "t\(id.rawValue)").json
        case .explanation(let explanation):
            TransferExplanation(
                sentence: explanation.sentence, condition: explanation.condition?.rawValue,
                next: explanation.next?.wire
            ).json
        case .ended(let status): TransferEnd(status).json
        }
    }
}

extension TransferRefusal {
    var rpc: RPCError {
        switch self {
        case .notAttached: RPCError(.outOfOrder, "hello comes first")
        case .sessionIsOpenElsewhere:
            RPCError(.refused, "a background session with this identifier exists already: use that one")
        case .sessionIsNotOpen: RPCError(.outOfOrder, "the session is not open on this connection: open comes first")
        case .sessionIsInvalid: RPCError(.refused, "the session has been invalidated: open one with another name")
        case .noSuchTask: RPCError(.unknown, "there is no such task")
        case .taskHasEnded: RPCError(.ended, "the task has ended")
        case .invalid(let parameter, let problem): .invalidParameter(parameter, problem)
        case .tooMuch(let what): RPCError(.tooMuch, "there are too many \(what)")
        }
    }
}
