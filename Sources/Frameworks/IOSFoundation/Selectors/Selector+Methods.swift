// What #selector becomes.
//
// A method of the main actor is called on whatever thread the message is sent, as in Objective-C; so the functions lose
// their isolation here, which at run time they do not have.
extension Selector {
    /// Creates the selector of a method without arguments.
    public init<Target, Result>(
        _ name: String, _ method: @escaping @MainActor (Target) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target) -> Result).self)
        self.init(name, of: Target.self) { (target, _) throws(Arguments.Refusal) in
            function(target)
        }
    }

    /// Creates the selector of a method without arguments, of the type that an expression has.
    public init<Target, Result>(
        _ name: String, like example: @autoclosure () -> Target?, _ method: @escaping @MainActor (Target) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target) -> Result).self)
        self.init(name, of: Target.self) { (target, _) throws(Arguments.Refusal) in
            function(target)
        }
    }

    /// Creates the selector of a method of 1 argument.
    public init<Target, Value1, Result>(
        _ name: String, _ method: @escaping @MainActor (Target, Value1) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target, Value1) -> Result).self)
        self.init(name, of: Target.self) { (target, arguments) throws(Arguments.Refusal) in
            try function(target, arguments.value(0))
        }
    }

    /// Creates the selector of a method of 1 argument, of the type that an expression has.
    public init<Target, Value1, Result>(
        _ name: String, like example: @autoclosure () -> Target?,
        _ method: @escaping @MainActor (Target, Value1) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target, Value1) -> Result).self)
        self.init(name, of: Target.self) { (target, arguments) throws(Arguments.Refusal) in
            try function(target, arguments.value(0))
        }
    }

    /// Creates the selector of a method of 2 arguments.
    public init<Target, Value1, Value2, Result>(
        _ name: String, _ method: @escaping @MainActor (Target, Value1, Value2) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target, Value1, Value2) -> Result).self)
        self.init(name, of: Target.self) { (target, arguments) throws(Arguments.Refusal) in
            try function(target, arguments.value(0), arguments.value(1))
        }
    }

    /// Creates the selector of a method of 2 arguments, of the type that an expression has.
    public init<Target, Value1, Value2, Result>(
        _ name: String, like example: @autoclosure () -> Target?,
        _ method: @escaping @MainActor (Target, Value1, Value2) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target, Value1, Value2) -> Result).self)
        self.init(name, of: Target.self) { (target, arguments) throws(Arguments.Refusal) in
            try function(target, arguments.value(0), arguments.value(1))
        }
    }

    /// Creates the selector of a method of 3 arguments.
    public init<Target, Value1, Value2, Value3, Result>(
        _ name: String, _ method: @escaping @MainActor (Target, Value1, Value2, Value3) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target, Value1, Value2, Value3) -> Result).self)
        self.init(name, of: Target.self) { (target, arguments) throws(Arguments.Refusal) in
            try function(target, arguments.value(0), arguments.value(1), arguments.value(2))
        }
    }

    /// Creates the selector of a method of 3 arguments, of the type that an expression has.
    public init<Target, Value1, Value2, Value3, Result>(
        _ name: String, like example: @autoclosure () -> Target?,
        _ method: @escaping @MainActor (Target, Value1, Value2, Value3) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target, Value1, Value2, Value3) -> Result).self)
        self.init(name, of: Target.self) { (target, arguments) throws(Arguments.Refusal) in
            try function(target, arguments.value(0), arguments.value(1), arguments.value(2))
        }
    }

    /// Creates the selector of a method whose arguments only the compiler knows.
    public init<Target, Result>(
        _ name: String, method: @escaping @MainActor (Target) -> @MainActor () -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target) -> () -> Result).self)
        self.init(name, of: Target.self) { (target, _) throws(Arguments.Refusal) in
            function(target)()
        }
    }

    /// Creates the selector of a method whose arguments only the compiler knows.
    public init<Target, Result>(
        _ name: String, like example: @autoclosure () -> Target?,
        method: @escaping @MainActor (Target) -> @MainActor () -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target) -> () -> Result).self)
        self.init(name, of: Target.self) { (target, _) throws(Arguments.Refusal) in
            function(target)()
        }
    }

    /// Creates the selector of a method whose arguments only the compiler knows.
    public init<Target, Value1, Result>(
        _ name: String, method: @escaping @MainActor (Target) -> @MainActor (Value1) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target) -> (Value1) -> Result).self)
        self.init(name, of: Target.self) { (target, arguments) throws(Arguments.Refusal) in
            try function(target)(arguments.value(0))
        }
    }

    /// Creates the selector of a method whose arguments only the compiler knows.
    public init<Target, Value1, Result>(
        _ name: String, like example: @autoclosure () -> Target?,
        method: @escaping @MainActor (Target) -> @MainActor (Value1) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target) -> (Value1) -> Result).self)
        self.init(name, of: Target.self) { (target, arguments) throws(Arguments.Refusal) in
            try function(target)(arguments.value(0))
        }
    }

    /// Creates the selector of a method whose arguments only the compiler knows.
    public init<Target, Value1, Value2, Result>(
        _ name: String, method: @escaping @MainActor (Target) -> @MainActor (Value1, Value2) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target) -> (Value1, Value2) -> Result).self)
        self.init(name, of: Target.self) { (target, arguments) throws(Arguments.Refusal) in
            try function(target)(arguments.value(0), arguments.value(1))
        }
    }

    /// Creates the selector of a method whose arguments only the compiler knows.
    public init<Target, Value1, Value2, Result>(
        _ name: String, like example: @autoclosure () -> Target?,
        method: @escaping @MainActor (Target) -> @MainActor (Value1, Value2) -> Result
    ) {
        let function = unsafe unsafeBitCast(method, to: (@Sendable (Target) -> (Value1, Value2) -> Result).self)
        self.init(name, of: Target.self) { (target, arguments) throws(Arguments.Refusal) in
            try function(target)(arguments.value(0), arguments.value(1))
        }
    }
}
