package import Model

/// What a service is told an answer to.
package struct ServiceRequestID: Hashable, Sendable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// What a service says that it holds.
package struct StatedHold: Hashable, Sendable {
    package var incarnation: Incarnation
    /// Its place among the holds that the service declared.
    package var hold: UInt8
    package var because: String

    package init(incarnation: Incarnation, hold: UInt8, because: String) {
        self.incarnation = incarnation
        self.hold = hold
        self.because = because
    }
}

/// What services say to the policy. The sentence that a person reads is theirs.
package enum ServiceEvent: Payload {
    /// Those that there are, in any order; the places of the ones that were known do not change.
    case declared([ServiceDeclaration])
    /// It is there, for the first time or again, and holds this and nothing else.
    case arrived(ServiceIndex, [StatedHold])
    case lost(ServiceIndex)
    /// An app is connected to it.
    case attached(ServiceIndex, Incarnation)
    case hold(ServiceIndex, ServiceRequestID, StatedHold, limit: Span)
    case drop(ServiceIndex, ServiceRequestID, Incarnation, hold: UInt8)
    /// The answer to `stop`: from now on it does nothing for the app.
    case stopped(ServiceIndex, Incarnation, hold: UInt8)
    case wake(ServiceIndex, ServiceRequestID, AppIndex, window: UInt8, because: String, payload: String)
    /// Apps that connected to it before the device was started.
    case remembered(ServiceIndex, [AppIndex])
    /// What a service did about an app, in its own words, for whoever asks why.
    case noted(ServiceIndex, AppIndex, sentence: String)
    /// For whom satellites are received from now on, and for nobody else: these share what that costs.
    case receives(ServiceIndex, [AppIndex])

    package enum Tag: UInt8, CaseIterable, Sendable {
        case arrived = 62, lost, attached, hold, drop, stopped, wake, remembered = 71, noted = 74, receives, declared
    }

    package var tag: Tag {
        switch self {
        case .declared: .declared
        case .arrived: .arrived
        case .lost: .lost
        case .attached: .attached
        case .hold: .hold
        case .drop: .drop
        case .stopped: .stopped
        case .wake: .wake
        case .remembered: .remembered
        case .noted: .noted
        case .receives: .receives
        }
    }

    package init(blank tag: Tag) {
        let (service, nobody) = (ServiceIndex(0), Incarnation(AppIndex(0), Generation(0)))
        switch tag {
        case .declared: self = .declared([])
        case .arrived: self = .arrived(service, [])
        case .lost: self = .lost(service)
        case .attached: self = .attached(service, nobody)
        case .hold:
            self = .hold(
                service, ServiceRequestID(0), StatedHold(incarnation: nobody, hold: 0, because: ""), limit: .zero)
        case .drop: self = .drop(service, ServiceRequestID(0), nobody, hold: 0)
        case .stopped: self = .stopped(service, nobody, hold: 0)
        case .wake: self = .wake(service, ServiceRequestID(0), AppIndex(0), window: 0, because: "", payload: "")
        case .remembered: self = .remembered(service, [])
        case .noted: self = .noted(service, AppIndex(0), sentence: "")
        case .receives: self = .receives(service, [])
        }
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        switch self {
        case .declared(var declarations):
            try coder.codeCount(&declarations, blank: ServiceDeclaration(name: ""))
            for place in declarations.indices { try coder.code(&declarations[place]) }
            self = .declared(declarations)
        case .arrived(var service, var holds):
            try coder.code(&service)
            try coder.code(&holds)
            self = .arrived(service, holds)
        case .lost(var service):
            try coder.code(&service)
            self = .lost(service)
        case .attached(var service, var incarnation):
            try coder.code(&service)
            try coder.code(&incarnation)
            self = .attached(service, incarnation)
        case .hold(var service, var id, var hold, var limit):
            try coder.code(&service)
            try coder.code(&id)
            try coder.code(&hold)
            try coder.code(&limit)
            self = .hold(service, id, hold, limit: limit)
        case .drop(var service, var id, var incarnation, var hold):
            try coder.code(&service)
            try coder.code(&id)
            try coder.code(&incarnation)
            try coder.code(&hold)
            self = .drop(service, id, incarnation, hold: hold)
        case .stopped(var service, var incarnation, var hold):
            try coder.code(&service)
            try coder.code(&incarnation)
            try coder.code(&hold)
            self = .stopped(service, incarnation, hold: hold)
        case .wake(var service, var id, var app, var window, var because, var payload):
            try coder.code(&service)
            try coder.code(&id)
            try coder.code(&app)
            try coder.code(&window)
            try coder.code(&because)
            try coder.code(&payload)
            self = .wake(service, id, app, window: window, because: because, payload: payload)
        case .remembered(var service, var apps):
            try coder.code(&service)
            try coder.codeCount(&apps, blank: AppIndex(0))
            for place in apps.indices { try coder.code(&apps[place]) }
            self = .remembered(service, apps)
        case .noted(var service, var app, var sentence):
            try coder.code(&service)
            try coder.code(&app)
            try coder.code(&sentence)
            self = .noted(service, app, sentence: sentence)
        case .receives(var service, var apps):
            try coder.code(&service)
            try coder.codeCount(&apps, blank: AppIndex(0))
            for place in apps.indices { try coder.code(&apps[place]) }
            self = .receives(service, apps)
        }
    }
}

/// What services are told by the policy.
package enum ServiceAction: Hashable, Sendable {
    case answer(ServiceIndex, ServiceRequestID, ServiceRefusal?)
    /// The app lacks the key, and has left the screen: the service ends what it does for it, and then says `stopped`.
    case stop(ServiceIndex, Incarnation, hold: UInt8)
    /// What it held counts no longer, whatever it believes.
    case ended(ServiceIndex, Incarnation, hold: UInt8)

    package enum Tag: UInt8, CaseIterable { case answerService = 28, stopHold, holdEnded }

    package var tag: Tag {
        switch self {
        case .answer: .answerService
        case .stop: .stopHold
        case .ended: .holdEnded
        }
    }

    func encode(into sink: inout some FieldSink) {
        switch self {
        case .answer(let service, let id, let refusal):
            sink.write(UInt64(service.rawValue))
            sink.write(id.rawValue)
            sink.write(refusal)
        case .stop(let service, let incarnation, let hold), .ended(let service, let incarnation, let hold):
            sink.write(UInt64(service.rawValue))
            sink.write(UInt64(incarnation.app.rawValue))
            sink.write(UInt64(incarnation.generation.rawValue))
            sink.write(hold)
        }
    }
}

// MARK: Fields

extension FieldCoder {
    mutating func code(_ service: inout ServiceIndex) throws(Failure) {
        var number = service.rawValue
        try code(&number)
        service = ServiceIndex(number)
    }

    mutating func code(_ id: inout ServiceRequestID) throws(Failure) {
        var number = id.rawValue
        try code(&number)
        id = ServiceRequestID(number)
    }

    mutating func code(_ app: inout AppIndex) throws(Failure) {
        var number = app.rawValue
        try code(&number)
        app = AppIndex(number)
    }

    mutating func code(_ incarnation: inout Incarnation) throws(Failure) {
        var (app, generation) = (incarnation.app, incarnation.generation.rawValue)
        try code(&app)
        try code(&generation)
        incarnation = Incarnation(app, Generation(generation))
    }

    mutating func code(_ hold: inout StatedHold) throws(Failure) {
        try code(&hold.incarnation)
        try code(&hold.hold)
        try code(&hold.because)
    }

    mutating func code(_ holds: inout [StatedHold]) throws(Failure) {
        let nobody = Incarnation(AppIndex(0), Generation(0))
        try codeCount(&holds, blank: StatedHold(incarnation: nobody, hold: 0, because: ""))
        for place in holds.indices { try code(&holds[place]) }
    }

    fileprivate mutating func code(_ declaration: inout ServiceDeclaration) throws(Failure) {
        try code(&declaration.name)
        try codeCount(&declaration.holds, blank: ServiceDeclaration.Hold(name: "", sentence: ""))
        for place in declaration.holds.indices { try code(&declaration.holds[place]) }
        try codeCount(&declaration.windows, blank: ServiceDeclaration.Window(name: "", sentence: "", time: .zero))
        for place in declaration.windows.indices {
            try code(&declaration.windows[place])
            try code(&declaration.windows[place].callback)
        }
        var keys = declaration.mode.keys
        try codeCount(&keys, blank: "")
        for place in keys.indices { try code(&keys[place]) }
        declaration.mode = BackgroundModes(keys: keys)
        try code(&declaration.worksInForeground)
        try code(&declaration.launchesAtBoot)
        try code(&declaration.relaunches)
    }

    private mutating func code(_ hold: inout ServiceDeclaration.Hold) throws(Failure) {
        try code(&hold.name)
        try code(&hold.sentence)
        var (isTold, activity) = (hold.activity != nil, hold.activity ?? .use)
        try code(&isTold)
        if isTold { try code(&activity) }
        hold.activity = isTold ? activity : nil
        try code(&hold.priority)
        try codeLimit(&hold)
    }

    private mutating func codeLimit(_ hold: inout ServiceDeclaration.Hold) throws(Failure) {
        var (isLimited, limit) = (hold.limit != nil, hold.limit ?? .zero)
        try code(&isLimited)
        if isLimited { try code(&limit) }
        hold.limit = isLimited ? limit : nil
    }

    private mutating func code(_ window: inout ServiceDeclaration.Window) throws(Failure) {
        try code(&window.name)
        try code(&window.sentence)
        try code(&window.time)
    }
}

extension FieldSink {
    fileprivate mutating func write(_ refusal: ServiceRefusal?) {
        switch refusal {
        case nil: write(UInt8(0))
        case .unknownService?: write(UInt8(1))
        case .undeclared(let kind)?:
            write(UInt8(2))
            write(kind)
        case .unknownApp?: write(UInt8(3))
        case .processGone?: write(UInt8(4))
        case .missingMode(let key, let isForeground)?:
            write(UInt8(5))
            write(key)
            write(isForeground)
        // 6 was never written.
        case .notHeld(let kind)?:
            write(UInt8(7))
            write(kind)
        case .notWoken(let obstacle)?:
            write(UInt8(8))
            write(obstacle)
        case .notOpened(let because)?:
            write(UInt8(9))
            write(because)
        }
    }
}
