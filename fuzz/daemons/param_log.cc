// Preloaded into a daemon of HTCondor, writes down each name that it passes to the functions that read parameters.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <string>
#include <unistd.h>
#include <fcntl.h>
namespace classad { class ClassAd; }
static int fd = -2;
static void say(const char *kind, const char *name, const char *extra="") {
  if (fd == -2) { const char *p = getenv("PARAMLOG"); fd = p ? open(p, O_WRONLY|O_CREAT|O_APPEND, 0666) : -1; }
  if (fd < 0 || !name) return;
  char b[600]; int n = snprintf(b, sizeof b, "%s\t%s\t%s\n", kind, name, extra?extra:""); if (n > 0) { if (write(fd, b, n < 600 ? n : 599)) {} }
}
template<class T> static T next(const char *s) { T f = (T) dlsym(RTLD_NEXT, s); return f; }
using classad::ClassAd; using std::string;
#define REAL(sym, type) static type real = next<type>(sym)
char *param(const char *n) { say("string", n); typedef char*(*T)(const char*); REAL("_Z5paramPKc", T); return real(n); }
bool param(string &o, const char *n, const char *d) { say("string", n); typedef bool(*T)(string&,const char*,const char*); REAL("_Z5paramRNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPKcS7_", T); return real(o,n,d); }
int param_integer(const char *n, int d, int lo, int hi, bool u) { say("integer", n); typedef int(*T)(const char*,int,int,int,bool); REAL("_Z13param_integerPKciiib", T); return real(n,d,lo,hi,u); }
bool param_integer(const char *n, int &v, bool ud, int d, bool cr, int lo, int hi, ClassAd *m, ClassAd *t, bool u) { say("integer", n); typedef bool(*T)(const char*,int&,bool,int,bool,int,int,ClassAd*,ClassAd*,bool); REAL("_Z13param_integerPKcRibibiiPN7classad7ClassAdES4_b", T); return real(n,v,ud,d,cr,lo,hi,m,t,u); }
bool param_longlong(const char *n, long long &v, bool ud, long long d, bool cr, long long lo, long long hi, ClassAd *m, ClassAd *t, bool u) { say("long", n); typedef bool(*T)(const char*,long long&,bool,long long,bool,long long,long long,ClassAd*,ClassAd*,bool); REAL("_Z14param_longlongPKcRxbxbxxPN7classad7ClassAdES4_b", T); return real(n,v,ud,d,cr,lo,hi,m,t,u); }
long long param_longlong(const char *n, long long d, long long lo, long long hi, bool u) { say("long", n); typedef long long(*T)(const char*,long long,long long,long long,bool); REAL("_Z14param_longlongPKcxxxb", T); return real(n,d,lo,hi,u); }
double param_double(const char *n, double d, double lo, double hi, ClassAd *m, ClassAd *t, bool u) { say("double", n); typedef double(*T)(const char*,double,double,double,ClassAd*,ClassAd*,bool); REAL("_Z12param_doublePKcdddPN7classad7ClassAdES3_b", T); return real(n,d,lo,hi,m,t,u); }
bool param_boolean(const char *n, bool d, bool l, ClassAd *m, ClassAd *t, bool u) { say("boolean", n); typedef bool(*T)(const char*,bool,bool,ClassAd*,ClassAd*,bool); REAL("_Z13param_booleanPKcbbPN7classad7ClassAdES3_b", T); return real(n,d,l,m,t,u); }
bool param_boolean_crufty(const char *n, bool d) { say("crufty", n); typedef bool(*T)(const char*,bool); REAL("_Z20param_boolean_cruftyPKcb", T); return real(n,d); }
bool param_true(const char *n) { say("true", n); typedef bool(*T)(const char*); REAL("_Z10param_truePKc", T); return real(n); }
bool param_false(const char *n) { say("false", n); typedef bool(*T)(const char*); REAL("_Z11param_falsePKc", T); return real(n); }
bool param_defined(const char *n) { say("defined", n); typedef bool(*T)(const char*); REAL("_Z13param_definedPKc", T); return real(n); }
char *param_unexpanded(const char *n) { say("raw", n); typedef char*(*T)(const char*); REAL("_Z16param_unexpandedPKc", T); return real(n); }
char *param_with_full_path(const char *n) { say("program", n); typedef char*(*T)(const char*); REAL("_Z20param_with_full_pathPKc", T); return real(n); }
bool param_eval_string(string &o, const char *n, const char *d, ClassAd *m, ClassAd *t) { say("evalstring", n); typedef bool(*T)(string&,const char*,const char*,ClassAd*,ClassAd*); REAL("_Z17param_eval_stringRNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPKcS7_PN7classad7ClassAdESA_", T); return real(o,n,d,m,t); }
